import type { ScanProgress } from '../../../src/contract/discovery.ts'
import type { WorkerStatus } from '../../../src/contract/machine.ts'
import { discoveryStrings as words } from '../../strings/discovery.ts'
import { visibleText } from '../approval/visible-text.ts'
import { ScanState } from './scan-state.tsx'

interface Props {
  machines: readonly WorkerStatus[]
  progress: ReadonlyMap<string, ScanProgress>
}

/** How the scan of each machine goes, a line each: they begin, go on and fail independently. */
export const MachineScans = ({ machines, progress }: Props) => (
  <ul aria-label={words.scansOfMachines} className="max-h-24 overflow-y-auto pb-2 text-small">
    {machines.map(({ machineId, name }) => {
      const told = progress.get(machineId)
      return (
        <li key={machineId} data-machine={machineId} className="flex h-6 items-center gap-3">
          <bdi className="w-32 shrink-0 truncate text-soft" title={visibleText(name)}>
            {visibleText(name)}
          </bdi>
          {told ? <ScanState progress={told} /> : <span className="text-mute">{words.neverLooked}</span>}
        </li>
      )
    })}
  </ul>
)
