import type { Execution, ExecutionStatus } from '../../../src/contract/execution.ts'
import { executionStrings } from '../../strings/execution.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { isLive } from './execution-list.ts'

const aspects: Record<ExecutionStatus, Aspect> = {
  queued: 'queued',
  running: 'moving',
  cancelling: 'moving',
  succeeded: 'done',
  failed: 'stopped',
  cancelled: 'off',
  timed_out: 'stopped',
}

type Shown = Pick<Execution, 'status' | 'waitingApprovals' | 'unreachableSince'>

function signalOf({ status, waitingApprovals, unreachableSince }: Shown): { aspect: Aspect; word: string } {
  if (isLive(status) && unreachableSince) return { aspect: 'idle', word: executionStrings.outOfReach }
  if (isLive(status) && waitingApprovals > 0) return { aspect: 'waits', word: executionStrings.waits }
  return { aspect: aspects[status], word: executionStrings.status[status] }
}

export function ExecutionSignal({ execution, hidesWord }: { execution: Shown; hidesWord?: boolean }) {
  return <Signal {...signalOf(execution)} hidesWord={hidesWord ?? false} />
}

/** What went wrong, where that is more than the status says already. */
export const reasonOf = ({ status, error }: Pick<Execution, 'status' | 'error'>): string | null =>
  error?.toLowerCase() === executionStrings.status[status].toLowerCase() ? null : error
