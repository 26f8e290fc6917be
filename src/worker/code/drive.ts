import type {
  CallKind,
  CodeHands,
  CodeMode,
  CodeRun,
  FrozenRun,
  Outcome,
  StoredImage,
} from '#codemode/port.ts'
import { CodeBusy, CodeFailed } from '#codemode/port.ts'
import type { CodeResult, LogLevel } from '#contract/execute.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import type { MadeCall } from '#db/code-calls.ts'
import { cancelledResult, usedBy } from '#domain/code-run.ts'
import { Problem } from '#domain/problem.ts'
import type { ToolQuestion } from '#flows/ask-tool-approval.ts'
import { RunLost } from '#flows/freeze-code-run.ts'
import type { WaitingCall } from '#flows/freeze-code-run.ts'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Journal } from './journal.ts'
import { astray, consentOf, madeOf, nameToKeep, notCalled, unknownOutcome, waitingOf } from './pending.ts'
import type { Pending } from './pending.ts'
import { AwaitsPerson } from './reach/awaits-person.ts'
import type { Reach } from './reach/open-reach.ts'
import { faultResult, isForeseen, metricsOf, resultOf } from './results.ts'

/** What a run that is driven needs from outside. */
export interface DriveHands {
  codeMode: CodeMode
  owner: string
  id: string
  logs: { lines: string[]; add(line: string): void }
  reach: Reach
  tell: (level: LogLevel, message: string) => void
  isRepeatable(made: MadeCall, signal: AbortSignal): Promise<boolean>
  /** Those of these questions that were answered. */
  answers(approvalIds: readonly string[]): Promise<ApprovalRow[]>
  /**
   * Puts it away, with what it waits for. Throws RunLost, TooMuchWaits, and a Problem when it must not go on; and the reason of the signal,
   * when nothing was put away before it came.
   */
  store(
    frozen: FrozenRun,
    lastCall: number,
    waiting: readonly WaitingCall[],
    signal: AbortSignal,
  ): Promise<void>
  log: Logger
}

/** A run as it was put away. */
export interface Kept {
  frozen: FrozenRun
  image: StoredImage | undefined
  lastCall: number
  journal: Journal
  calls: readonly (MadeCall & { approvalId: string | null })[]
}

/** How it came out of our hands: it ended, it was put away, or somebody else has it. */
export type Driven = { result: CodeResult; isNotBegun?: true } | 'frozen' | 'lost'

export interface Drive {
  done: Promise<Driven>
  /** Ends it, unless it is put away at this moment. */
  cancel(message: string): void
  /** Ends it, also while it waits for a database that is away to be put away. */
  end(message: string): void
  /** Somebody else has ended it, or has it: nothing more is written. */
  lose(): void
  /** A question may have been answered. */
  look(): void
  /** Nothing more is called. Resolves when it is written down what came of all that was. */
  quiet(): Promise<void>
}

/** Made once: one with a stack for each run costs more than all else at its end. */
const ended = new Error('The run has come out of our hands')

type Live = CodeRun & { settle?: (outcome: Outcome) => void }

/** Takes a run from where it is to its end, or to where it waits for nobody but people. */
export function drive(hands: DriveHands, begin: { begun: (hands: CodeHands) => CodeRun } | Kept): Drive {
  const { codeMode, reach, logs, id, owner } = hands
  const kept = 'journal' in begin ? begin : undefined
  const journal = kept?.journal
  const pending = new Map<number, Pending>()
  const held: Outcome[] = []
  /** Calls that were begun, and of which it is not written down what came of them. */
  const unwritten = new Set<number>()
  const done = Promise.withResolvers<Driven>()
  const over = new AbortController()
  const isOver = Promise.withResolvers<never>()
  isOver.promise.catch(() => undefined)
  let isLeaving = false
  let lastCall = kept?.lastCall ?? 0
  let live: Live | undefined
  let frozen: FrozenRun | undefined
  let isFreezing = false
  /** Somebody has said so while it was out. */
  let isToLook = false
  let storing: AbortController | undefined
  let wayLost: string | undefined
  let turn: Promise<void> = Promise.resolve()
  let stirred = Promise.withResolvers<void>()

  const codeHands: CodeHands = {
    call(call, kind, name, given) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const tell = (outcome: Outcome) =>
        'failed' in outcome ? reject(outcome.failed) : resolve(outcome.value)
      lastCall = Math.max(lastCall, call)
      const one: Pending = { call, kind, name: nameToKeep(name), input: given, state: 'underway', tell }
      pending.set(call, one)
      // Not before whoever calls has begun to wait: outcomes that are told at once are heard in their order.
      queueMicrotask(() => void take(one).catch(failed))
      return promise
    },
    log(level, message) {
      logs.add(message)
      hands.tell(level, message)
    },
  }

  /** A call of the code: made, or told again what came of it when it was made before. */
  async function take(one: Pending): Promise<void> {
    const recalled = journal?.recall(one)
    if (recalled?.was === 'other') return loseWay(one, recalled.name)
    if (recalled?.was === 'ended') return replay()
    if (recalled?.was !== 'begun') return make(one)
    if (!(await hands.isRepeatable(one, over.signal)))
      return settle({ call: one.call, failed: unknownOutcome(one) })
    const { approvalId } = recalled
    const [approval] = approvalId === null ? [] : await hands.answers([approvalId]).catch(orNone)
    return make(one, approval && { consent: consentOf(approval) })
  }

  async function make(
    one: Pending,
    { consent, approvalId }: { consent?: ReturnType<typeof consentOf>; approvalId?: string } = {},
  ): Promise<void> {
    const { call, kind, name, input } = one
    one.state = 'underway'
    let begun: Promise<void> | undefined
    let notBegun: unknown
    const beforeSend = journal && (() => (begun ??= noteBegun(journal, one, approvalId).catch(note)))
    const note = (error: unknown): never => {
      notBegun = error
      throw error
    }
    try {
      const value = await reach.call(call, kind, name, input, over.signal, { consent, beforeSend })
      await settle({ call, value })
    } catch (thrown) {
      // Whoever was to send it may have told it in words of their own.
      const error = notBegun ?? thrown
      if (error instanceof AwaitsPerson) return await ask(one, error.question).catch(failed)
      if (error instanceof CodeFailed) return await settle({ call, failed: error }).catch(failed)
      failed(error)
    }
  }

  /** Nothing is sent that was not written down before. */
  async function noteBegun(book: Journal, one: Pending, approvalId?: string): Promise<void> {
    if (isLeaving) return isOver.promise
    unwritten.add(one.call)
    await book.begin(madeOf(one), approvalId)
  }

  async function ask(one: Pending, question: ToolQuestion): Promise<void> {
    if (unwritten.has(one.call)) await journal?.unbegin(one.call)
    unwritten.delete(one.call)
    delete one.approvalId
    one.question = question
    one.state = 'waiting'
    stir()
  }

  /** One after the other: what came of a call is written down in the order in which the run hears of it. */
  function settle(outcome: Outcome): Promise<void> {
    if (!journal || pending.get(outcome.call)?.kind === 'timer') {
      deliver(outcome)
      return Promise.resolve()
    }
    turn = tellAfter(turn, outcome, journal)
    return turn
  }

  async function tellAfter(others: Promise<void>, outcome: Outcome, book: Journal): Promise<void> {
    await others
    while (!book.isReplayed() && !over.signal.aborted) await stirred.promise
    const one = pending.get(outcome.call)
    if (!one || over.signal.aborted) return
    await book.end(madeOf(one), outcome)
    unwritten.delete(outcome.call)
    deliver(outcome)
  }

  function replay(): void {
    for (const outcome of journal?.replay((call) => pending.has(call)) ?? []) deliver(outcome)
    stir()
  }

  function deliver(outcome: Outcome): void {
    const one = pending.get(outcome.call)
    if (!one || over.signal.aborted) return
    pending.delete(outcome.call)
    if (frozen) held.push(outcome)
    else if (one.tell) one.tell(outcome)
    else live?.settle?.(outcome)
    stir()
  }

  const isUnderway = () => pending.values().some(({ state }) => state === 'underway')

  /** Something has changed: it may be time to put the run away. */
  function stir(): void {
    const { resolve } = stirred
    stirred = Promise.withResolvers()
    resolve()
    if (over.signal.aborted || frozen || isFreezing || pending.size === 0 || isUnderway()) return
    isFreezing = true
    void takeOut().catch(failed)
  }

  async function takeOut(): Promise<void> {
    const taken = await live?.freeze()
    isFreezing = false
    if (!taken || over.signal.aborted) return
    for (const one of pending.values()) delete one.tell
    frozen = taken
    live = undefined
    await rest(taken)
  }

  /** It is out: it goes on with the first outcome, or is put away when only people are waited for. */
  async function rest(taken: FrozenRun): Promise<void> {
    while (!over.signal.aborted) {
      if (held.length > 0) return goOn(taken)
      const changes = stirred.promise
      const isQuiet = !(await takeAnswers())
      if (isQuiet && !isUnderway() && held.length === 0) return putAway(taken)
      if (held.length === 0) await changes
    }
  }

  async function goOn(taken: FrozenRun): Promise<void> {
    for (;;) {
      if (over.signal.aborted) return
      const outcomes = held.splice(0)
      const stored = kept?.image && { stored: kept.image }
      try {
        return wake(await codeMode.thaw(taken, codeHands, { owner, outcomes, ...stored }))
      } catch (error) {
        if (!(error instanceof CodeBusy)) throw error
        held.unshift(...outcomes)
        await wait(100, undefined, { ref: false })
      }
    }
  }

  /** It runs again, unless it was ended meanwhile; and hears of what has come since. */
  function wake(run: Live): void {
    if (over.signal.aborted) return run.cancel('It does not go on here')
    live = follow(run)
    frozen = undefined
    for (const outcome of held.splice(0)) run.settle?.(outcome)
    if (isToLook) void takeAnswers().catch(failed)
    isToLook = false
    stir()
  }

  function follow<Run extends CodeRun>(run: Run): Run {
    void endWith(run)
    return run
  }

  async function endWith(run: CodeRun): Promise<void> {
    const ending = await run.ended
    if (ending === undefined || over.signal.aborted) return
    const isEarly = journal?.isReplayed() === false && ending.isFine
    const why = wayLost ?? (isEarly ? 'It ended before it made all the calls again' : undefined)
    if (why !== undefined) return close({ result: astray(self(), why, metricsOf(ending.meter)) })
    const isNotBegun = !ending.isFine && ending.isNotBegun
    close({ result: resultOf(self(), ending), ...(isNotBegun && { isNotBegun }) })
  }

  const self = () => ({ id, logs: logs.lines })

  /** Answers that came in while nobody listened. Says whether there are any. */
  async function takeAnswers(): Promise<boolean> {
    const waiting = [...pending.values()].filter(
      ({ state, approvalId }) => state === 'waiting' && approvalId !== undefined,
    )
    const answers = await hands.answers(waiting.map(({ approvalId }) => approvalId ?? ''))
    // What is put away at this moment is taken up again with them.
    for (const approval of storing ? [] : answers) {
      const one = waiting.find(({ approvalId }) => approvalId === approval.id)
      if (one?.state !== 'waiting' || one.approvalId !== approval.id) continue
      one.state = 'underway'
      if (approval.status === 'granted')
        void make(one, { consent: consentOf(approval), approvalId: approval.id })
      else void settle({ call: one.call, failed: notCalled(approval) }).catch(failed)
    }
    return answers.length > 0
  }

  async function putAway(taken: FrozenRun): Promise<void> {
    storing = new AbortController()
    try {
      await hands.store(taken, lastCall, [...pending.values()].map(waitingOf), storing.signal)
    } finally {
      storing = undefined
    }
    close('frozen')
  }

  function loseWay({ name }: Pending, before: string): void {
    wayLost = `It called ${name} now, and ${before} in the same place before Signalbox was restarted. Nothing was called twice`
    live?.cancel(wayLost)
  }

  /** Nothing more of it happens. What it has used is known when it stands still. */
  function endAs(tell: (used: CodeResult['metrics']) => CodeResult): void {
    close(used().then((metrics) => ({ result: tell(metrics) })))
  }

  async function used(): Promise<CodeResult['metrics']> {
    const before = frozen ?? kept?.frozen
    const ending = frozen ? undefined : await live?.ended
    return ending ? metricsOf(ending.meter) : usedBy(before?.state['meter'])
  }

  function close(how: Driven | Promise<Driven>): void {
    if (over.signal.aborted) return
    over.abort(ended)
    isOver.reject(ended)
    done.resolve(how)
    stirred.resolve()
  }

  /** Nothing that the code has done: it is lost to somebody else, must not go on, or is a bug. */
  function failed(error: unknown): void {
    if (over.signal.aborted) return
    live?.cancel('It does not go on here')
    if (error instanceof RunLost) return close('lost')
    if (!isForeseen(error))
      hands.log.error({ err: error, run: id }, 'a run of code failed as nobody expected')
    endAs((metrics) => faultResult(self(), error, metrics))
  }

  function cancel(message: string): void {
    if (storing || over.signal.aborted) return
    if (live) return live.cancel(message)
    if (frozen) endAs((metrics) => cancelledResult(self(), message, metrics))
  }

  function orNone(error: unknown): [] {
    failed(error)
    return []
  }

  function takeUp({ calls, frozen: taken }: Kept): void {
    frozen = taken
    for (const { approvalId, kind, ...made } of calls) {
      const one: Pending = { ...made, kind: kind as CallKind, state: 'underway' }
      pending.set(one.call, one)
      if (approvalId !== null) Object.assign(one, { approvalId })
    }
    for (const one of pending.values()) {
      if (one.approvalId !== undefined && journal?.recall(one) === undefined) one.state = 'waiting'
      else void take(one).catch(failed)
    }
    void rest(taken).catch(failed)
  }

  if (kept) takeUp(kept)
  else if ('begun' in begin) live = follow(begin.begun(codeHands))

  return {
    done: done.promise,
    cancel,
    end(message) {
      if (storing) storing.abort(new Problem('code_run_ended', message))
      else cancel(message)
    },
    lose() {
      live?.cancel('It goes on elsewhere, or has ended')
      storing?.abort(new RunLost('It goes on elsewhere, or has ended'))
      close('lost')
    },
    async quiet() {
      isLeaving = true
      while (unwritten.size > 0 && !over.signal.aborted) await stirred.promise
    },
    look() {
      isToLook = frozen !== undefined
      if (kept && !frozen && !isFreezing) void takeAnswers().catch(failed)
      else stir()
    },
  }
}
