import type { ToolResult } from '#contract/tool.ts'
import { checkAnswer, checkArgs } from './check-args.ts'
import { openDeadline } from './deadline.ts'
import type { Deadline } from './deadline.ts'
import { openHeartbeat } from './heartbeat.ts'
import type { Heartbeat } from './heartbeat.ts'
import { CallFailed } from './port.ts'
import type { AskedBy, Caller, CallHands, RegistryHands } from './port.ts'
import { retrying } from './retry.ts'
import type { Entry, Shelf } from './shelf.ts'

/** So often a definition may change while it is asked about. */
const mostRounds = 3

/** One call on its way. */
export interface Call {
  caller: Caller
  args: Record<string, unknown>
  hands: CallHands
  /** The tool as it is now. Throws CallFailed when there is none for this caller. */
  find(): Entry
  approve: RegistryHands['approve']
  /** What the audit is told of it. */
  detail: Record<string, unknown>
}

/** Rejects with CallFailed; what fails outside of the source (a question, the database) rejects with that. */
export async function perform(call: Call): Promise<ToolResult> {
  const { shelf, named } = call.find()
  const { beforeSend } = call.hands
  let begun: Promise<void> | undefined
  const begin = beforeSend && (() => (begun ??= beforeSend()))
  return underway(shelf, named.name, call.hands, async (deadline, hands) => {
    await deadline.hold(shelf.ready())
    for (let round = 1; round <= mostRounds; round += 1) {
      const entry = call.find()
      if (entry.tool.unavailable)
        throw new CallFailed('source_failed', entry.tool.unavailable, { isUnsent: true })
      Object.assign(call.detail, entry.named.offered.about?.(call.args))
      call.detail['argsSize'] = checkArgs(entry.tool.name, entry.tool.inputSchema, call.args)
      await consent(call, entry, deadline, round)
      const answer = await send({ ...call, hands }, entry, deadline, begin)
      if (answer !== 'changed') return checked(entry, answer)
    }
    throw changed(named.name)
  })
}

/** Something that a source does for somebody: it ends in time, when they hang up, or when the source is taken away. */
export async function underway<Result>(
  { source, settings, calls }: Shelf,
  name: string,
  hands: CallHands,
  work: (deadline: Deadline, hands: CallHands) => Promise<Result>,
): Promise<Result> {
  const clock = openDeadline(settings.timeout, () => tooLate(name, settings.timeout))
  const isOver = () => clock.signal.aborted
  const heart = openHeartbeat((progress) => void (isOver() || hands.onProgress?.(progress)))
  // While it stands still a person is asked, and whoever waits hears that it goes on.
  const deadline: Deadline = {
    ...clock,
    standingStill: (asking) => heart.whileAsking(() => clock.standingStill(asking)),
  }
  const hangUp = () => deadline.end(new CallFailed('cancelled', `The call of ${name} was cancelled.`))
  hands.signal.addEventListener('abort', hangUp, { once: true })
  if (hands.signal.aborted) hangUp()
  calls.add(deadline)
  try {
    return await work(deadline, handsOf(hands, { source: source.name, doing: name }, deadline, heart))
  } finally {
    calls.delete(deadline)
    hands.signal.removeEventListener('abort', hangUp)
    deadline.close()
    heart.close()
  }
}

/** Somebody has said yes, or nobody has to. What has changed since it was accepted is asked about whatever rules say. */
async function consent(
  { caller, args, approve, detail }: Call,
  entry: Entry,
  deadline: Deadline,
  round: number,
) {
  const { shelf, named } = entry
  const isChanged = shelf.isChanged(entry)
  deadline.signal.throwIfAborted()
  if (caller.kind === 'person' && !caller.inCode) {
    if (isChanged && !(caller.confirmed && round === 1)) throw changed(named.name)
    return
  }
  if (named.offered.isAskedElsewhere && !isChanged) return
  const isExempt = named.offered.needsNoApproval === true && !isChanged
  const begun = performance.now()
  const question = { caller, tool: shelf.view(entry), args, isChanged, isExempt }
  const yes = await deadline.standingStill(() => deadline.hold(approve(question, deadline.signal)))
  detail['askedMs'] = Math.round(performance.now() - begun)
  if (isChanged && yes?.isOwner) await shelf.accept(entry, yes.by)
}

/** Sends what was consented to, and nothing else: in between it may have waited for its turn. */
async function send(
  call: Call,
  entry: Entry,
  deadline: Deadline,
  begin: CallHands['beforeSend'],
): Promise<ToolResult | 'changed'> {
  const { shelf, tool, hash } = entry
  shelf.rate.take()
  let tries = 0
  return retrying(
    async () => {
      const leave = await shelf.turns.take(deadline.signal)
      try {
        if (call.find().hash !== hash) return 'changed'
        if (begin) {
          await deadline.hold(begin())
          if (call.find().hash !== hash) return 'changed'
        }
        tries += 1
        if (tries > 1) call.detail['tries'] = tries
        return await deadline.hold(ask(call, entry))
      } finally {
        leave()
      }
    },
    shelf.settings.retryPolicy,
    tool.annotations,
    deadline,
  ).catch((failure: unknown) => {
    if (failure instanceof CallFailed) failure.tries = tries
    throw failure
  })
}

async function ask({ caller, args, hands }: Call, { shelf, named }: Entry): Promise<ToolResult> {
  try {
    return await shelf.source.call(caller, named.offered.name, args, hands)
  } catch (error) {
    throw asFailure(error, named.name, hands.signal)
  }
}

/** The source hears of the end of the call; while it asks, the clock stands still. Once it is over nobody hears from it. */
function handsOf(hands: CallHands, by: AskedBy, deadline: Deadline, heart: Heartbeat): CallHands {
  const { onProgress, onLog, ask } = hands
  const isOver = () => deadline.signal.aborted
  return {
    ...hands,
    signal: deadline.signal,
    ...(onProgress ? { onProgress: (progress) => heart.onProgress(progress) } : {}),
    ...(onLog ? { onLog: (params) => void (isOver() || onLog(params)) } : {}),
    ...(ask ? { ask: (requests) => deadline.standingStill(() => ask(requests, by)) } : {}),
    whileAsking: (asking) => deadline.standingStill(asking),
  }
}

function checked({ tool }: Entry, answer: ToolResult): ToolResult {
  if (typeof answer !== 'object' || answer === null)
    throw new CallFailed('source_failed', `${tool.name} answered with something that is no answer.`)
  if (tool.outputSchema && answer.isError !== true) checkAnswer(tool.name, tool.outputSchema, answer)
  return answer
}

/** Other errors than CallFailed are bugs, of ours or of what we use: their words are not for whoever called. */
export function asFailure(error: unknown, name: string, signal: AbortSignal): CallFailed {
  if (error instanceof CallFailed) return error
  if (signal.aborted && signal.reason instanceof CallFailed) return signal.reason
  const failure = new CallFailed(
    'source_failed',
    `${name} failed for a reason that Signalbox did not expect.`,
  )
  failure.cause = error
  return failure
}

const tooLate = (name: string, ms: number) =>
  new CallFailed(
    'tool_timed_out',
    `${name} did not answer within ${ms / 1000} s and was given up. What it has done by then is not known.`,
    { context: { timeoutMs: ms } },
  )

const changed = (name: string) =>
  new CallFailed(
    'tool_changed',
    `${name} is not what it was when it was accepted: its source has changed it. Look at it, then accept it or confirm this one call.`,
    { isUnsent: true, context: { tool: name } },
  )
