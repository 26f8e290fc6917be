import { spawn } from 'node:child_process'
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { join } from 'node:path'
import type { Account, Owner } from './account.ts'

interface ProgramOptions extends Pick<SpawnOptions, 'cwd' | 'stdio' | 'detached'> {
  as?: Owner | undefined
}

/** Nothing of our own environment: PGPORT, PGDATA and LC_ALL would all change what Postgres does. */
const environment = () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' })

export function startProgram(
  account: Pick<Account, 'wrapper' | 'native'>,
  name: 'postgres' | 'initdb',
  args: readonly string[],
  { as, ...options }: ProgramOptions,
): ChildProcess {
  const [command = name, ...rest] = [...account.wrapper, join(account.native, 'bin', name), ...args]
  return spawn(command, rest, { ...options, ...as, env: environment() })
}

/** Resolves when the program has ended or could not be started; never rejects. */
export async function runProgram(
  account: Pick<Account, 'wrapper' | 'native'>,
  name: 'postgres' | 'initdb',
  args: readonly string[],
  { extra, ...options }: Omit<ProgramOptions, 'stdio'> & { extra?: number } = {},
): Promise<{ code: number | null; output: string }> {
  const handles = extra === undefined ? [] : [extra]
  return new Promise((resolve) => {
    try {
      const child = startProgram(account, name, args, {
        ...options,
        stdio: ['ignore', 'pipe', 'pipe', ...handles],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
      child.once('error', (error) => resolve({ code: null, output: error.message }))
      child.once('close', (code) => resolve({ code, output }))
    } catch (error) {
      // Node throws at once when the change of user is refused.
      resolve({ code: null, output: String(error) })
    }
  })
}
