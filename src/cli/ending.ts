import type { Execution } from '#contract/execution.ts'
import { inertLine } from '#lib/inert-text.ts'
import type { Screen } from './screen.ts'

type Ending = Pick<Execution, 'status' | 'exitCode' | 'error'>

export const INTERRUPTED = 130
export const TIMED_OUT = 124

/** What a shell should think of it: the program's own code where that says something, else as `timeout` and a signal do. */
export function exitCodeOf({ status, exitCode }: Ending): number {
  if (status === 'succeeded') return 0
  if (status === 'cancelled') return INTERRUPTED
  if (status === 'timed_out') return TIMED_OUT
  return exitCode !== null && exitCode >= 1 && exitCode <= 125 ? exitCode : 1
}

export const inWords: Record<Execution['status'], string> = {
  queued: 'queued',
  running: 'running',
  cancelling: 'being cancelled',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  timed_out: 'timed out',
}

/** One line for people. */
export function told(screen: Pick<Screen, 'paint'>, { status, error }: Ending): string {
  const colour = status === 'succeeded' ? 'green' : status === 'cancelled' ? 'dim' : 'red'
  const word = screen.paint(colour, inWords[status])
  const saysMore = error && error.toLowerCase() !== inWords[status]
  return saysMore ? `${word}: ${inertLine(error)}` : word
}
