import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { callFor } from './calls.ts'
import type { Asked, Dialect } from './dialect.ts'
import type { Step } from './script.ts'

/** Answers a request as the step says. */
export async function play(
  response: ServerResponse,
  dialect: Dialect,
  asked: Asked,
  step: Step,
): Promise<void> {
  if (step.type === 'status')
    return sendJson(response, step.status, dialect.refusal(step.status, `Refused with ${step.status}`))
  const call = callFor(step, asked)
  const isAnswered = step.type !== 'drop' && step.type !== 'hang'
  if (!asked.isStreamed && isAnswered) {
    let text = ''
    for await (const piece of piecesOf(step)) text += piece
    return sendJson(response, 200, dialect.whole(asked, call ? { call } : { text }))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const stream = dialect.stream(asked)
  response.write(stream.begin())
  if (step.type === 'drop') response.write(stream.text('I was about to'), () => response.destroy())
  if (!isAnswered) return
  if (call) response.write(stream.text('I will use a tool.') + stream.call(call))
  for await (const piece of piecesOf(step)) {
    if (response.destroyed) return
    response.write(stream.text(piece))
  }
  response.end(stream.end())
}

async function* piecesOf(step: Step): AsyncIterable<string> {
  if (step.type === 'text') yield* step.text.match(/\S+\s*/g) ?? ['']
  if (step.type !== 'slow') return
  for (let number = 1; number <= step.count; number += 1) {
    yield `${number} `
    await wait(100)
  }
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** What is said to requests that are not part of the conversation: titles, routing, summaries. */
export const asideFor = ({ wantsJson }: Asked): string =>
  wantsJson
    ? '{"title":"A title","reasoning":"none","model_choice":"flash","complexity_reasoning":"none","complexity_score":1}'
    : 'A title'
