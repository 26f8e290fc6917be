import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropic } from './anthropic.ts'
import { chatCompletions } from './chat-completions.ts'
import type { Asked, Dialect, Json } from './dialect.ts'
import { gemini } from './gemini.ts'
import { modelsFor } from './models.ts'
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
  /** Keys that it does not accept: 401. */
  refusedKeys: Set<string>
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
  dialect: Dialect['name']
  model: string
  /** The request, as it came. */
  body: Json
}

export interface LoopbackOptions {
  /** It is talked to by a chat: also one without tools is a conversation, and it has models. Agents ask without tools for titles. */
  isChat?: boolean
}

const dialects = [anthropic, responses, chatCompletions, gemini]

/** A model that does what the prompt says, for every API that the agents speak. */
export async function startLoopbackModel({ isChat = false }: LoopbackOptions = {}): Promise<LoopbackModel> {
  const turns: ModelTurn[] = []
  const complaints: string[] = []
  const keys = new Set<string>()
  const refusedKeys = new Set<string>()
  const refused = new Map<string, number>()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://model')
    const dialect = dialects.find(({ path }) => request.method === 'POST' && path.test(pathname))
    const body = await readBody(request)
    const key = keyIn(request)
    if (key) keys.add(key)
    if (key && refusedKeys.has(key)) {
      const refusal = (dialect ?? chatCompletions).refusal(401, 'This key is not known')
      return sendJson(response, 401, refusal)
    }
    if (!dialect) return sendJson(response, 200, asideTo(pathname, isChat ? request.headers : undefined))
    const asked = dialect.read(JSON.parse(body), pathname)
    const turn = asked.tools.length > 0 || isChat ? turnOf(asked, isChat) : undefined
    if (!turn) return play(response, dialect, asked, { type: 'text', text: asideFor(asked) })
    const { prompt, script, results, heard } = turn
    const soFar = {
      results: results.length,
      refused: refused.get(prompt) ?? 0,
      characters: body.length,
    }
    const step = dueStep(script, soFar)
    const { model } = asked
    turns.push({ prompt, step, results, heard, dialect: dialect.name, model, body: JSON.parse(body) })
    if (['status', 'drop', 'garbage'].includes(step.type)) refused.set(prompt, soFar.refused + 1)
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
    refusedKeys,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Undefined when nobody gave it a script. */
/** A chat tells what a person said in a row as one message: the last of it is meant. */
function turnOf({ said }: Asked, isChat: boolean) {
  const at = said.findLastIndex(({ by, text }) => by === 'user' && hasScript(text))
  const text = said[at]?.text
  if (text === undefined) return undefined
  const prompt = (isChat && text.split('\n\n').findLast(hasScript)) || text
  const results = said.slice(at + 1).filter(({ by }) => by === 'tool')
  return {
    prompt,
    script: readScript(prompt),
    results: results.map(({ text }) => text),
    heard: said.filter(({ by }) => by === 'user').map(({ text }) => text),
  }
}

const keyIn = ({ headers }: IncomingMessage): string | undefined => {
  const given = ['authorization', 'x-api-key', 'x-goog-api-key'].find((name) => headers[name] !== undefined)
  return given === undefined ? undefined : String(headers[given])
}

/** Token counts, lists of models, statistics: agents ask for them and go on whatever they hear. */
function asideTo(pathname: string, chatHeaders: IncomingHttpHeaders | undefined): object {
  if (/count_?tokens$/i.test(pathname)) return { input_tokens: 10, totalTokens: 10 }
  if (chatHeaders && pathname.endsWith('/models')) return modelsFor(pathname, chatHeaders)
  return { object: 'list', data: [], models: [] }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += piece
  return body
}
