import { spawn } from 'node:child_process'
import { realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { versionIn } from '#domain/presets.ts'

export interface Told {
  version: string | null
  /** Why it does not run; null when it runs, or takes too long to say. */
  trouble: string | null
}

const patienceMs = 5_000
const mostOutput = 65_536
/** By the real file, when it was written and how long it is: another version is another file. */
const known = new Map<string, string>()

/** Asks a program for its version, once for each state of its file. Never rejects. */
export async function programVersion(path: string, env: Readonly<Record<string, string>>): Promise<Told> {
  const key = await fingerprint(path)
  const before = key && known.get(key)
  if (before) return { version: before, trouble: null }
  const { exitCode, output } = await firstWords(path, env)
  const version = exitCode === 0 ? versionIn(output) : undefined
  if (version && key) known.set(key, version)
  if (version || exitCode === null) return { version: version ?? null, trouble: null }
  const said = output.trim().split('\n', 1)[0]?.slice(0, 200)
  return { version: null, trouble: exitCode === 0 ? null : said || `it ends with code ${exitCode}` }
}

async function fingerprint(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path)
    const { mtimeMs, size } = await stat(real)
    return `${real}\n${mtimeMs}\n${size}`
  } catch {
    return undefined
  }
}

/** No exit code: it was ended because it took too long, or by somebody else. */
function firstWords(
  path: string,
  env: Readonly<Record<string, string>>,
): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(path, ['--version'], {
      env: { DISABLE_AUTOUPDATER: '1', ...env },
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own, so that all of it can be ended
    })
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // it had ended already
      }
    }
    const limit = setTimeout(kill, patienceMs)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(0, mostOutput)))
    child.once('error', (error) => {
      clearTimeout(limit)
      resolve({ exitCode: 127, output: error.message })
    })
    child.once('exit', (exitCode) => {
      clearTimeout(limit)
      kill() // whatever it left behind would hold the pipes open
      child.once('close', () => resolve({ exitCode, output }))
    })
  })
}
