import { CLIENT_CAPABILITIES_META_KEY, inputRequired } from '@modelcontextprotocol/server'
import type {
  ClientCapabilities,
  InputRequiredResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server'
import { CallFailed } from '#tools/port.ts'
import type { CallHands } from '#tools/port.ts'
import { askerOf } from './asker.ts'
import type { Asker } from './asker.ts'
import { asProtocolError } from './call-failure.ts'
import type { InputResponses } from './input-requests.ts'
import type { PausedCalls } from './paused-calls.ts'
import { pushQuestions } from './push-questions.ts'
import { roundHands } from './round-hands.ts'
import { openTalk } from './talk.ts'
import type { AskInstead } from './talk.ts'

export type Era = 'legacy' | 'modern'

export interface RoundNeeds {
  paused: PausedCalls
  askInstead: (asker: Asker) => AskInstead
}

type Work<Answer> = (hands: CallHands) => Promise<Answer>

/** Does what may have to ask something meanwhile. `what` says what is done: only the same is gone on with. */
export type InRounds = <Answer>(
  ctx: ServerContext,
  what: string,
  work: Work<Answer>,
) => Promise<Answer | InputRequiredResult>

export function openRounds(server: Server, era: Era, { paused, askInstead }: RoundNeeds): InRounds {
  /** Asked while the request is open, by requests of ours. */
  function atOnce<Answer>(ctx: ServerContext, _what: string, work: Work<Answer>): Promise<Answer> {
    const ask = pushQuestions(ctx, () => server.getClientCapabilities(), askInstead(askerOf(ctx)))
    return work({ ...roundHands(ctx), signal: ctx.mcpReq.signal, ask })
  }

  /** Asked by the answer to the request; the call waits until the next one comes. */
  async function byAnswers<Answer>(ctx: ServerContext, what: string, work: Work<Answer>) {
    const { mcpReq } = ctx
    const asker = askerOf(ctx)
    const claim = { principal: asker.key, what }
    const state = mcpReq.requestState<string>()
    const hands = roundHands(ctx)
    const talk =
      state === undefined ? openTalk<unknown>(work, askInstead(asker), hands.meta) : paused.take(state, claim)
    const turn = await talk.next({
      ...hands,
      signal: mcpReq.signal,
      client: capabilitiesIn(mcpReq.envelope),
      answers: mcpReq.inputResponses as InputResponses | undefined,
    })
    if (turn.kind === 'over') return turn.result as Answer
    const asks = { inputRequests: turn.requests as never }
    if (turn.kind === 'unaskable') {
      talk.end('The client cannot be asked')
      // The SDK sees what is missing, and says so as the protocol has it.
      return inputRequired(asks)
    }
    const requestState = paused.put(talk, claim)
    if (requestState !== undefined) return inputRequired({ ...asks, requestState })
    talk.end(tooMany)
    throw asProtocolError(new CallFailed('too_many_calls', `${tooMany}. Answer those first, or wait`))
  }

  return era === 'legacy' ? atOnce : byAnswers
}

const tooMany = 'Too many calls wait for an answer'

const capabilitiesIn = (envelope: object | undefined): ClientCapabilities | undefined =>
  (envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
