import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UpRecord } from '#contract/up.ts'
import { homeOf } from '#lib/home.ts'
import { isLoopback } from '#lib/loopback.ts'
import { isAlive } from '#lib/process-identity.ts'
import { Failure } from './failure.ts'

/** Where Signalbox is spoken to, and with which token. */
export interface Connection {
  url: string
  token: string
  /** Where the token comes from, for people: it is never shown itself. */
  tokenSource: string
}

export const notRunning = 'Signalbox does not run here. Start it with npm start'

/** SIGNALBOX_URL and SIGNALBOX_TOKEN, or what runs in this home. */
export function findConnection(env: NodeJS.ProcessEnv): Connection {
  const home = homeOf(env, process.cwd())
  const running = findRunning(home)
  const url = env['SIGNALBOX_URL'] || running
  if (url === undefined) throw new Failure(notRunning)
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Failure('SIGNALBOX_URL must be an http or https address, for example http://127.0.0.1:4100')
  if (env['SIGNALBOX_TOKEN']) return { url, token: env['SIGNALBOX_TOKEN'], tokenSource: 'SIGNALBOX_TOKEN' }

  // The owner's token of this home opens this home; it is nobody else's to see.
  if (url !== running && !isThisMachine(url)) throw new Failure(`Set SIGNALBOX_TOKEN to a token for ${url}`)
  const file = join(home, 'token')
  const token = read(file)?.trim()
  if (!token)
    throw new Failure(`There is no token at ${file}. Set SIGNALBOX_TOKEN, or start Signalbox with npm start`)
  return { url, token, tokenSource: file }
}

/** The address of the `up` that lives in this home. A file that a dead one left behind does not count. */
export function findRunning(home: string): string | undefined {
  const text = read(join(home, 'up.json'))
  if (text === undefined) return undefined
  try {
    const up = UpRecord.parse(JSON.parse(text))
    return isAlive(up) ? up.url : undefined
  } catch {
    return undefined // half written or of another version: as good as none
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

const isThisMachine = (url: string): boolean => isLoopback(URL.parse(url)?.hostname ?? '')
