import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { NotStarted } from '#lib/program.ts'

/** What tmux is asked is answered at once. */
const patienceMs = 10_000
const largestScreen = 4 * 1024 * 1024

/** One server of tmux, by its socket. */
export interface Tmux {
  /** Starts the server, which keeps this environment for what runs in it. Nobody's configuration is read. */
  start(env: Readonly<Record<string, string>>, ...words: string[]): Promise<string>
  /** Answers with what it prints. Rejects with what it complains of. */
  ask(...words: string[]): Promise<string>
  /** The same for what it reads. */
  give(input: string, ...words: string[]): Promise<string>
}

/** Throws NotStarted where there is no tmux. */
export function tmuxAt(socket: string, path: string): Tmux {
  const file = findTmux(path)
  const run = (words: readonly string[], { env = {}, input = '' } = {}) =>
    new Promise<string>((resolve, reject) => {
      const child = execFile(
        file,
        ['-S', socket, '-f', '/dev/null', ...words.map(literal)],
        { env, timeout: patienceMs, killSignal: 'SIGKILL', maxBuffer: largestScreen },
        (error, stdout, stderr) =>
          error ? reject(new Error(firstLine(stderr) || error.message)) : resolve(stdout),
      )
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input)
    })
  return {
    start: (env, ...words) => run(words, { env }),
    ask: (...words) => run(words),
    give: (input, ...words) => run(words, { input }),
  }
}

/** Stands between two commands of one line; nobody can mean it as a word of one. */
export const next = '\0'

/** A word that ends with a semicolon would end the command. */
const literal = (word: string): string =>
  word === next ? ';' : word.endsWith(';') ? `${word.slice(0, -1)}\\;` : word

/** Where tmux would fill in values of its own. */
export const plain = (text: string): string => text.replaceAll('#', '##')

function findTmux(path: string): string {
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, 'tmux'))
    .find(canRun)
  if (found === undefined)
    throw new NotStarted('tmux is not installed here: what runs in a terminal needs it (apt install tmux)')
  return found
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? ''
