import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { callsFor } from './calls.ts'
import type { Answer, Asked, Dialect } from './dialect.ts'
import type { Step } from './script.ts'

/** Answers a request as the step says. */
export async function play(
  response: ServerResponse,
  dialect: Dialect,
  asked: Asked,
  step: Step,
): Promise<void> {
  const refuse = (status: number, message: string, headers: Record<string, string> = {}): void =>
    sendJson(response, status, dialect.refusal(status, message), headers)
  if (step.type === 'overflow') return refuse(400, dialect.overflow)
  if (step.type === 'status') {
    const { status, retryAfter } = step
    const headers = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) }
    return refuse(status, `Refused with ${status}`, headers)
  }
  const calls = callsFor(step, asked)
  const isAnswered = step.type !== 'drop' && step.type !== 'hang' && step.type !== 'garbage'
  if (!asked.isStreamed && isAnswered)
    return sendJson(response, 200, dialect.whole(asked, await inOnePiece(step, calls)))
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  if (step.type === 'garbage') return void response.end('data: {"half of\n\ndata: <html>\n\n')
  const stream = dialect.stream(asked)
  response.write(stream.begin())
  if (step.thought !== undefined) response.write(stream.thought(step.thought))
  if (step.type === 'drop') {
    const words = 'I was about to tell you something long'.split(' ').slice(0, step.words)
    for (const word of words) response.write(stream.text(`${word} `))
    response.write(': more follows, it seems\n\n', () => response.destroy())
  }
  if (!isAnswered) return
  if (calls.length > 0) response.write(stream.text(`I will use ${calls.length === 1 ? 'a tool' : 'tools'}.`))
  for (const call of calls) response.write(stream.call(call))
  for await (const piece of piecesOf(step)) {
    if (response.destroyed) return
    response.write(stream.text(piece))
  }
  response.end(stream.end(step.type === 'length'))
}

async function inOnePiece(step: Step, calls: ReturnType<typeof callsFor>): Promise<Answer> {
  if (calls.length > 0) return { calls }
  let text = ''
  for await (const piece of piecesOf(step)) text += piece
  return { text }
}

async function* piecesOf(step: Step): AsyncIterable<string> {
  if (step.type === 'text' || step.type === 'length') yield* step.text.match(/\S+\s*/g) ?? ['']
  if (step.type !== 'slow') return
  for (let number = 1; number <= step.count; number += 1) {
    yield `${number} `
    await wait(100)
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** What is said to requests that are not part of the conversation: titles, routing, summaries. */
export const asideFor = ({ wantsJson }: Asked): string =>
  wantsJson
    ? '{"title":"A title","reasoning":"none","model_choice":"flash","complexity_reasoning":"none","complexity_score":1}'
    : 'A title'
