import { endingOf } from './errors.ts'
import { inOwnLines } from './errors-stack.ts'
import { packed } from './frozen-run.ts'
import type { CodeEnding, CodeHands, CodeRun, FrozenRun, Outcome } from './port.ts'
import { CodeFailed } from './port.ts'
import type { Job, LiveRun, Ran } from './pool/job.ts'
import type { Pool } from './pool/pool.ts'
import type { Settled } from './pool/messages.ts'
import { isDeeperThan, mostDepth } from './sandbox/depth.ts'
import type { LogLevel } from '#contract/execute.ts'
import type { LineMap } from './strip/line-map.ts'

/** What stays with a run from its beginning to its end, wherever it goes on. */
export interface Course {
  hands: CodeHands
  map: LineMap
  /** As it was given; empty when it goes on after it was frozen. */
  written: string
}

/** Made once: one with a stack for each run costs more than all else at its end. */
const over = new Error('The run that called it has ended')

/** A run in the pool, as others see it: its errors have the lines of whoever wrote it. */
export class OwnRun implements CodeRun {
  readonly #job: Omit<Job, 'hands'>
  readonly #course: Course
  readonly #live: LiveRun
  readonly #over = new AbortController()
  readonly ended: Promise<CodeEnding | undefined>

  constructor(pool: Pool, job: Omit<Job, 'hands'>, course: Course) {
    this.#job = job
    this.#course = course
    const { hands } = course
    this.#live = pool.run({
      ...job,
      hands: {
        call: (call, kind, name, given) => this.#call(call, kind, name, given),
        log: (level, text) => hands.log(levelOf(level), inOwnLines(text, course.map)),
      },
    })
    this.ended = this.#live.ended.then((ran) => ran && this.#ending(ran))
  }

  async freeze(): Promise<FrozenRun | undefined> {
    const taken = await this.#live.freeze()
    if (!taken) return undefined
    const { limits, clockMs, timeoutMs, isExtendable = false } = this.#job
    return packed(taken.frozen, {
      meter: taken.meter,
      limits,
      clockMs,
      timeoutMs,
      isExtendable,
      map: this.#course.map.packed,
    })
  }

  cancel(message: string): void {
    this.#live.end({ how: 'cancelled', message })
  }

  settle(outcome: Outcome): void {
    this.#live.settle(settledOf(outcome))
  }

  async #call(call: number, ...[kind, name, given]: [Parameters<CodeHands['call']>[1], string, string]) {
    try {
      const args = JSON.parse(given) as unknown[]
      return textOf(await this.#course.hands.call(call, kind, name, args, this.#over.signal))
    } catch (error) {
      throw insideError(error)
    }
  }

  #ending({ ending, meter: used }: Ran): CodeEnding {
    this.#over.abort(over)
    const { executionMs, cpuMs, memoryBytes, calls } = used
    const { limits, timeoutMs } = this.#job
    return endingOf(ending, {
      map: this.#course.map,
      written: this.#course.written,
      timeoutMs,
      limits,
      meter: { executionMs, cpuMs, memoryBytes, calls },
    })
  }
}

export function settledOf(outcome: Outcome): Settled {
  const { call } = outcome
  try {
    if (!('failed' in outcome)) return { call, isFine: true, text: textOf(outcome.value) }
    return { call, isFine: false, text: JSON.stringify(told(outcome.failed)) }
  } catch {
    return { call, isFine: false, text: JSON.stringify(told(tooDeep)) }
  }
}

const tooDeep = new CodeFailed(
  'runtime',
  'RUNTIME_ERROR',
  `What came back is nested more than ${mostDepth} deep, which code does not get`,
)

/** Nothing is the empty text: JSON has no word for it. Throws when it is nested too deeply. */
function textOf(value: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value) ?? ''
  } catch (error) {
    throw error instanceof RangeError ? tooDeep : error
  }
  if (isDeeperThan(text, mostDepth)) throw tooDeep
  return text
}

/** What the code sees of an error. Of those that are not meant for it, nothing but that it was one. */
const told = ({ type, code, message, details }: CodeFailed) => ({
  name: 'CodeFailed',
  message,
  code,
  kind: type,
  details,
})

/** As the pool passes it on. */
function insideError(error: unknown): Error {
  const failure =
    error instanceof CodeFailed
      ? error
      : new CodeFailed(
          'runtime',
          'RUNTIME_ERROR',
          'Something went wrong in Signalbox itself; its log says what',
        )
  return Object.assign(new Error(failure.message), told(failure))
}

const levelOf = (level: string): LogLevel =>
  level === 'debug' || level === 'warn' || level === 'error' ? level : 'info'
