import type { WorkerStatus } from '../../../src/contract/machine.ts'
import { machineStrings } from '../../strings/machine.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'

const aspects: Record<keyof typeof machineStrings.state, Aspect> = {
  up: 'started',
  full: 'idle',
  unreachable: 'stopped',
  stopped: 'off',
}

/** Whether a machine works; one that claims nothing says so. */
export function MachineSignal({ machine: { state, report } }: { machine: WorkerStatus }) {
  const shown = state === 'up' && report?.notClaiming ? 'full' : state
  return <Signal aspect={aspects[shown]} word={machineStrings.state[shown]} />
}
