import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropic } from './anthropic.ts'
import { chatCompletions } from './chat-completions.ts'
import type { Asked } from './dialect.ts'
import { gemini } from './gemini.ts'
import { asideFor, play, sendJson } from './play.ts'
import { responses } from './responses.ts'
import { dueStep, hasScript, readScript } from './script.ts'
import type { Step } from './script.ts'

export interface LoopbackModel {
  url: string
  /** Every request that was part of a conversation, in order. */
  turns: ModelTurn[]
  /** Requests that it could not answer, and why. */
  complaints: string[]
  /** The keys that it was shown, as they were sent. */
  keys: Set<string>
  close(): Promise<void>
}

export interface ModelTurn {
  /** What the user said last. */
  prompt: string
  step: Step
  /** What tools answered since then. */
  results: string[]
  /** Everything users said so far: what the agent remembers. */
  heard: string[]
}

const dialects = [anthropic, responses, chatCompletions, gemini]

/** A model that does what the prompt says, for every API that the agents speak. */
export async function startLoopbackModel(): Promise<LoopbackModel> {
  const turns: ModelTurn[] = []
  const complaints: string[] = []
  const keys = new Set<string>()
  const refused = new Map<string, number>()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://model')
    const dialect = dialects.find(({ path }) => request.method === 'POST' && path.test(pathname))
    const body = await readBody(request)
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key'])
      if (request.headers[name]) keys.add(String(request.headers[name]))
    if (!dialect) return sendJson(response, 200, asideTo(pathname))
    const asked = dialect.read(JSON.parse(body), pathname)
    const turn = asked.tools.length > 0 ? turnOf(asked) : undefined
    if (!turn) return play(response, dialect, asked, { type: 'text', text: asideFor(asked) })
    const { prompt, script, results, heard } = turn
    const step = dueStep(script, results.length, refused.get(prompt) ?? 0)
    turns.push({ prompt, step, results, heard })
    if (step.type === 'status' || step.type === 'drop') refused.set(prompt, (refused.get(prompt) ?? 0) + 1)
    await play(response, dialect, asked, step)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      complaints.push(`${request.method} ${request.url}: ${error.message}`)
      if (response.headersSent) response.destroy()
      else sendJson(response, 400, { error: { message: error.message } })
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    turns,
    complaints,
    keys,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Undefined when nobody gave it a script. */
function turnOf({ said }: Asked) {
  const at = said.findLastIndex(({ by, text }) => by === 'user' && hasScript(text))
  const prompt = said[at]?.text
  if (prompt === undefined) return undefined
  const results = said.slice(at + 1).filter(({ by }) => by === 'tool')
  return {
    prompt,
    script: readScript(prompt),
    results: results.map(({ text }) => text),
    heard: said.filter(({ by }) => by === 'user').map(({ text }) => text),
  }
}

/** Token counts, lists of models, statistics: agents ask for them and go on whatever they hear. */
const asideTo = (pathname: string): object =>
  /count_?tokens$/i.test(pathname)
    ? { input_tokens: 10, totalTokens: 10 }
    : { object: 'list', data: [], models: [] }

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += piece
  return body
}
