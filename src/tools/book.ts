import type { Logger } from '#lib/log.ts'
import type { Metrics } from './metrics.ts'
import { CallFailed } from './port.ts'
import type { CallFailure, CallNote, RegistryHands } from './port.ts'

/** What is known of a call before it has ended. */
export type Story = Pick<CallNote, 'caller' | 'tool' | 'source' | 'detail'>

const refusals: ReadonlySet<CallFailure> = new Set([
  'tool_not_found',
  'source_not_found',
  'tool_not_granted',
  'tool_changed',
  'tool_refused',
  'bad_arguments',
  'too_many_calls',
])

export function openBook(note: RegistryHands['note'], metrics: Metrics, log?: Logger) {
  return {
    /** Does the work, and writes down what has come of it before anybody is answered. */
    async keep<Result>(story: Story, work: () => Promise<Result>): Promise<Result> {
      const begun = performance.now()
      const ended = await work().then(
        (value) => ({ value, outcome: isError(value) ? ('failed' as const) : ('ok' as const) }),
        (error: unknown) => ({ error, ...outcomeOf(error) }),
      )
      // It is made again when somebody has said yes, and written down then.
      if ('code' in ended && ended.code === 'awaits_person') throw ended.error
      const { caller, tool, source, detail } = story
      const { outcome } = ended
      const entry: CallNote = { caller, tool, source, detail, outcome, durationMs: performance.now() - begun }
      if ('code' in ended && ended.code) entry.code = ended.code
      if ('error' in ended && ended.error instanceof CallFailed && ended.error.cause !== undefined)
        log?.error({ err: ended.error.cause, tool }, 'A tool failed as nobody expected')
      metrics.note(entry)
      await note(entry)
      if ('error' in ended) throw ended.error
      return ended.value
    },
  }
}

const isError = (value: unknown) =>
  typeof value === 'object' && value !== null && 'isError' in value && value.isError === true

function outcomeOf(error: unknown): Pick<CallNote, 'outcome' | 'code'> {
  if (!(error instanceof CallFailed)) return { outcome: 'failed' }
  return { outcome: refusals.has(error.reason) ? 'refused' : 'failed', code: error.reason }
}
