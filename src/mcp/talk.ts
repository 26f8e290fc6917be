import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { CallFailed } from '#tools/port.ts'
import type { AskedBy, CallHands, Progress } from '#tools/port.ts'
import { isEmpty, partByCapability, unasked } from './input-requests.ts'
import type { InputRequests, InputResponses } from './input-requests.ts'

/** One request of a client, in which a call begins or goes on. */
export interface Round {
  signal: AbortSignal
  client: ClientCapabilities | undefined
  /** What the client brought along. */
  answers: InputResponses | undefined
  onProgress(progress: Progress): void
  onLog(params: Record<string, unknown>): void
}

/** `unaskable`: an answer is needed, and this client cannot be asked for it. */
export type Turn<Result> =
  | { kind: 'over'; result: Result }
  | { kind: 'asks' | 'unaskable'; requests: InputRequests }

/** A call that may stop to ask, and goes on in another request, which brings the answers. */
export interface Talk<Result> {
  /** Goes on until it is over or has something to ask. Whoever hangs up meanwhile has ended it. */
  next(round: Round): Promise<Turn<Result>>
  end(why: string): void
}

/** Answers in the place of a client that cannot be asked; nothing: nobody can. */
export type AskInstead = (
  requests: InputRequests,
  by: AskedBy | undefined,
  signal: AbortSignal,
) => Promise<InputResponses | undefined>

interface Question {
  requests: InputRequests
  by: AskedBy | undefined
  /** Of others, in the place of the client. */
  known: InputResponses
  answer(responses: InputResponses): void
  refuse(error: Error): void
}

export function openTalk<Result>(
  work: (hands: CallHands) => Promise<Result>,
  askInstead: AskInstead,
  meta: Record<string, unknown> | undefined,
): Talk<Result> {
  const over = new AbortController()
  const questions: Question[] = []
  let round: Round | undefined
  let asked = Promise.withResolvers<void>()

  function ask(requests: InputRequests, by?: AskedBy): Promise<InputResponses> {
    const { promise, resolve, reject } = Promise.withResolvers<InputResponses>()
    questions.push({ requests, by, known: {}, answer: resolve, refuse: reject })
    asked.resolve()
    return promise
  }

  const hands: CallHands = {
    signal: over.signal,
    onProgress: (progress) => round?.onProgress(progress),
    onLog: (params) => round?.onLog(params),
    ask,
    ...(meta && { meta }),
  }
  const outcome = work(hands).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  )

  async function next(given: Round): Promise<Turn<Result>> {
    round = given
    const hungUp = () => end('The client is gone')
    given.signal.addEventListener('abort', hungUp, { once: true })
    if (given.signal.aborted) hungUp()
    try {
      let { answers } = given
      for (;;) {
        const [question] = questions
        if (question) {
          const turn = await put(question, given, answers)
          if (turn) return turn
          answers = undefined
          continue
        }
        const first = await Promise.race([outcome, asked.promise])
        if (first && 'error' in first) throw first.error
        if (first) return { kind: 'over', result: first.result }
        asked = Promise.withResolvers()
      }
    } finally {
      given.signal.removeEventListener('abort', hungUp)
      round = undefined
    }
  }

  /** Answers with nothing when the question is settled. */
  async function put(
    question: Question,
    { client, signal }: Round,
    answers: InputResponses | undefined,
  ): Promise<Turn<Result> | undefined> {
    const { possible, impossible } = partByCapability(open(question), client)
    if (!isEmpty(impossible)) {
      const asking = askInstead(impossible, question.by, AbortSignal.any([signal, over.signal]))
      const instead = await asking.catch((error: Error) => error)
      if (instead instanceof Error) {
        questions.shift()
        question.refuse(instead)
        return undefined
      }
      const known = instead ?? (isEmpty(possible) ? undefined : unasked(impossible))
      if (!known) return { kind: 'unaskable', requests: impossible }
      Object.assign(question.known, known)
    }
    for (const key of Object.keys(possible)) {
      const answer = answers?.[key]
      if (answer) question.known[key] = answer
    }
    const left = open(question)
    if (!isEmpty(left)) return { kind: 'asks', requests: left }
    questions.shift()
    question.answer(question.known)
    return undefined
  }

  function end(why: string): void {
    over.abort(new CallFailed('cancelled', why))
    for (const question of questions.splice(0)) question.refuse(new CallFailed('cancelled', why))
  }

  return { next, end }
}

/** What nobody has answered yet. */
const open = ({ requests, known }: Question): InputRequests =>
  Object.fromEntries(Object.entries(requests).filter(([key]) => !(key in known)))
