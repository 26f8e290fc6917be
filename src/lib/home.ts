import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeDurably } from './durable-file.ts'
import { hasCode } from './error-code.ts'

/** Where everything durable lies: SIGNALBOX_HOME, or `.signalbox` in the user's own folder. */
export function homeOf(env: NodeJS.ProcessEnv, cwd: string): string {
  return resolve(cwd, env['SIGNALBOX_HOME'] || join(env['HOME'] || homedir(), '.signalbox'))
}

/** The home cannot be trusted with secrets; the message says why and what to do. */
export class HomeRefused extends Error {}

/** Makes the home if there is none, for its owner alone. */
export function prepareHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new HomeRefused(
      `The home ${home} cannot be made: ${reasonOf(error)}. Set SIGNALBOX_HOME to a folder of yours.`,
    )
  }
  const { uid, mode } = statSync(home)
  const us = process.getuid?.()
  if (us !== undefined && uid !== us)
    throw new HomeRefused(
      `The home ${home} belongs to user ${uid}, but this is user ${us}. Set SIGNALBOX_HOME to a folder of yours.`,
    )
  if ((mode & 0o022) !== 0)
    throw new HomeRefused(`Others can write in the home ${home}. Take that from them: chmod 700 ${home}`)
}

/** The owner's token: 32 random bytes, made once. */
export function readOrCreateToken(home: string): string {
  return readOrCreate(join(home, 'token'), () => randomBytes(32).toString('base64url'))
}

/** What JWTs are signed with when JWT_SECRET is not set, made once. */
export function readOrCreateJwtSecret(home: string): string {
  return readOrCreate(join(home, 'jwt-secret'), () => randomBytes(48).toString('base64url'))
}

/** What secrets in the database are encrypted with (lib/sealed.ts): 32 random bytes, made once. */
export function readOrCreateSecretsKey(home: string): string {
  return readOrCreate(join(home, 'secrets-key'), () => randomBytes(32).toString('base64url'))
}

/** The machine's id: a UUID, made once. */
export function readMachineId(home: string): string {
  return readOrCreate(join(home, 'machine-id'), randomUUID)
}

/** One value for all, however many processes ask for it first at the same time. */
function readOrCreate(file: string, create: () => string): string {
  const found = read(file)
  if (found !== undefined) return found
  const mine = `${file}.${randomUUID()}`
  writeDurably(mine, `${create()}\n`)
  try {
    linkSync(mine, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(mine, { force: true })
  }
  return read(file) ?? readOrCreate(file, create)
}

function read(file: string): string | undefined {
  let value
  try {
    value = readFileSync(file, 'utf8').trim()
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
  if (value === '') throw new HomeRefused(`${file} is empty. Remove it, and a new one is made.`)
  return value
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
