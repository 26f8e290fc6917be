import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { EngineAddress } from './address.ts'

/** The engine has said no: its own words, and the HTTP status that it gave. */
export class EngineRefused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Nobody answers there, or not in time. */
export class EngineAway extends Error {}

export interface Asked {
  query?: Readonly<Record<string, string>>
  body?: object
  /** Given up after this, as if nobody answered. */
  limitMs?: number
}

/** One engine. All questions go to it over connections of their own; none of them hangs. */
export interface Engine {
  readonly name: string
  /** What is answered is JSON, or nothing. Rejects with EngineRefused or EngineAway. */
  ask<Answer>(method: 'GET' | 'POST' | 'DELETE', path: string, asked?: Asked): Promise<Answer>
  /** An answer that goes on: `limitMs` is for its beginning. Rejects likewise. */
  follow(method: 'GET' | 'POST', path: string, asked?: Asked): Promise<IncomingMessage>
}

/** The newest interface that we know of; an engine that is older speaks its own. */
const newest = [1, 47] as const
const oldest = [1, 40] as const
const usualLimitMs = 30_000

/** `patienceMs`: for questions that do not name a limit of their own. */
export function openEngine({ name, at }: EngineAddress, patienceMs = usualLimitMs): Engine {
  let spoken: Promise<string> | undefined
  const version = () => {
    spoken ??= negotiate().catch((error: unknown) => {
      spoken = undefined
      throw error
    })
    return spoken
  }

  /** Engines refuse a version that is newer than they are, and one that is too old for them. */
  async function negotiate(): Promise<string> {
    const answer = await send('GET', '/_ping', {})
    answer.resume()
    const [major = 0, minor = 0] = String(answer.headers['api-version'] ?? '')
      .split('.')
      .map(Number)
    if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
      throw new EngineRefused(
        400,
        `The engine at ${name} speaks version ${major}.${minor} of its interface, and ${oldest.join('.')} is the oldest that will do. Update Docker.`,
      )
    return major > newest[0] || minor > newest[1] ? newest.join('.') : `${major}.${minor}`
  }

  function send(method: string, path: string, { query, body, limitMs = patienceMs }: Asked) {
    return new Promise<IncomingMessage>((resolve, reject) => {
      const words = query ? `?${new URLSearchParams(query).toString()}` : ''
      const text = body && JSON.stringify(body)
      const headers = text
        ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
        : {}
      const sent = request({ ...at, method, path: `${path}${words}`, agent: false, headers }, (answer) => {
        clearTimeout(late)
        resolve(answer)
      })
      const late = setTimeout(
        () => sent.destroy(new Error(`it did not answer within ${limitMs / 1000} s`)),
        limitMs,
      )
      sent.once('error', (error) => {
        clearTimeout(late)
        reject(new EngineAway(`The Docker engine at ${name} does not answer: ${explain(error)}`))
      })
      sent.end(text)
    })
  }

  async function follow(method: string, path: string, asked: Asked = {}): Promise<IncomingMessage> {
    const answer = await send(method, `/v${await version()}${path}`, asked)
    const status = answer.statusCode ?? 0
    if (status < 400) return answer
    throw new EngineRefused(status, wordsOf(await read(answer, asked.limitMs)))
  }

  /** The engine may also die in the middle of an answer. */
  async function read(answer: IncomingMessage, limitMs = patienceMs): Promise<string> {
    const late = setTimeout(() => answer.destroy(new Error('its answer does not end')), limitMs)
    try {
      let text = ''
      for await (const part of answer.setEncoding('utf8')) text += String(part)
      return text
    } catch (error) {
      throw new EngineAway(`The Docker engine at ${name} went away while it answered: ${explain(error)}`)
    } finally {
      clearTimeout(late)
    }
  }

  return {
    name,
    follow,
    async ask(method, path, asked) {
      const text = await read(await follow(method, path, asked), asked?.limitMs)
      return text === '' ? undefined : JSON.parse(text)
    },
  }
}

function wordsOf(text: string): string {
  try {
    const { message } = JSON.parse(text)
    return typeof message === 'string' ? message : text
  } catch {
    return text
  }
}

const known: Record<string, string> = {
  ENOENT: 'it is not running, or not there (start it: systemctl start docker)',
  ECONNREFUSED: 'it is not running (start it: systemctl start docker)',
  EACCES: 'this user may not use it (add it to the group docker, and log in again)',
  ECONNRESET: 'it hung up',
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return known['code' in error ? String(error.code) : ''] ?? error.message
}
