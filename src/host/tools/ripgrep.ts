import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { ToolRefused } from '#lib/tool-refused.ts'
import { badPattern } from './name-pattern.ts'
import { givenUp } from './open-file.ts'

/** Nothing of the user's own settings counts: the same question has the same answer everywhere. `.git` is hidden in any case. */
export const askedOf = ({ includeIgnored }: { includeIgnored: boolean }): string[] => [
  '--no-config',
  '--color=never',
  '--no-messages',
  '--no-require-git',
  ...(includeIgnored ? ['--no-ignore', '--hidden', '--glob=!.git'] : []),
]

export const longestSearchMs = 20_000

export interface SearchProcesses {
  /** Of the last one. */
  output: Readable
  /** Resolves when all have ended. Rejects with ToolRefused. */
  ended: Promise<void>
  stop: () => void
}

/**
 * Runs one rg after another, each with the output of the one before for its input. Their folder is given as a handle: no path leads
 * there that somebody could bend meanwhile.
 */
export function startRipgrep(
  rg: string,
  folder: number,
  steps: readonly (readonly string[])[],
  signal: AbortSignal,
): SearchProcesses {
  const processes: ChildProcess[] = []
  let input: Readable | 'ignore' = 'ignore'
  for (const args of steps) {
    const child: ChildProcess = spawn(rg, args, {
      cwd: `/proc/self/fd/${folder}`,
      env: {},
      stdio: [input, 'pipe', 'pipe'],
    })
    if (input !== 'ignore') input.destroy() // the next one has it
    input = child.stdout!
    processes.push(child)
  }
  const stop = () => processes.forEach((child) => child.kill('SIGKILL'))
  const late = setTimeout(stop, longestSearchMs)
  const begun = performance.now()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const end = async (): Promise<void> => {
    const said = await Promise.all(processes.map(endOf))
    clearTimeout(late)
    signal.removeEventListener('abort', stop)
    if (signal.aborted) throw givenUp()
    if (performance.now() - begun >= longestSearchMs) throw tooLong()
    const complaint = said.find((text) => text !== '')
    if (complaint !== undefined) throw refusalFrom(complaint)
  }
  const ended = end()
  ended.catch(() => undefined)
  return { output: input as Readable, ended, stop }
}

/** Resolves with what it complains of, when it could not search at all. */
function endOf(child: ChildProcess): Promise<string> {
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, 4000)))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`cannot be run: ${error.message}`))
    child.once('close', (code) => resolve(code === 2 ? said.trim() : ''))
  })
}

function refusalFrom(complaint: string): ToolRefused {
  if (complaint.startsWith('cannot be run'))
    return new ToolRefused('command_not_started', `ripgrep ${complaint}`)
  const [, reason = complaint.replace(/^rg: /, '')] = /^error: (.*)/m.exec(complaint) ?? []
  return badPattern(reason.slice(0, 500))
}

export const tooLong = (): ToolRefused =>
  new ToolRefused(
    'search_too_long',
    `The search took longer than ${longestSearchMs / 1000} s. Search in a folder, with path, or for less`,
  )
