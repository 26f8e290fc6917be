import { join } from 'node:path'
import { readEnd } from '../read-bounded.ts'

/** Of a longer history its end is read: what people do now. */
const most = 8 * 1024 * 1024
const zshFiles = ['.zsh_history', '.zhistory', '.histfile', '.config/zsh/.zsh_history', '.cache/zsh/history']
const fishFiles = ['.local/share/fish/fish_history', '.config/fish/fish_history']

/** The commands in the histories of bash, zsh and fish, as they were typed. What is not there, or no file, tells nothing. */
export async function* commandsOfHistories(home: string): AsyncIterable<string> {
  const at = (name: string) => bytesOf(join(home, name))
  yield* bashCommands((await at('.bash_history')).toString())
  for (const name of zshFiles) yield* zshCommands(await at(name))
  for (const name of fishFiles) yield* fishCommands((await at(name)).toString())
}

/** A line each; with HISTTIMEFORMAT a time (`#1700000000`) before each. */
export function* bashCommands(text: string): Iterable<string> {
  for (const line of text.split('\n')) if (line !== '' && !/^#\d+$/.test(line)) yield line
}

/** With EXTENDED_HISTORY `: 1700000000:0;git log`; a command of several lines has a backslash before each break. */
export function* zshCommands(bytes: Buffer): Iterable<string> {
  const text = unmetafied(bytes).toString()
  let command = ''
  for (const line of text.split('\n')) {
    const isContinued = /(?:^|[^\\])(?:\\\\)*\\$/.test(line)
    command += isContinued ? `${line.slice(0, -1)}\n` : line
    if (isContinued) continue
    if (command !== '') yield command.replace(/^: *\d+:\d+;/, '')
    command = ''
  }
}

/** zsh writes a byte that means something to itself as 0x83 and the byte with its sixth bit turned. */
export function unmetafied(bytes: Buffer): Buffer {
  const meta = 0x83
  if (!bytes.includes(meta)) return bytes
  const plain = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const isMeta = bytes[at] === meta && at + 1 < bytes.length
    if (isMeta) at += 1
    plain[length] = isMeta ? bytes[at]! ^ 0x20 : bytes[at]!
    length += 1
  }
  return plain.subarray(0, length)
}

/** `- cmd: git log` with `\n` and `\\` for what would break the line; times and paths follow on lines of their own. */
export function* fishCommands(text: string): Iterable<string> {
  for (const [, written = ''] of text.matchAll(/^- cmd: (.*)$/gm))
    yield written.replaceAll(/\\(n|\\)/g, (_, sign: string) => (sign === 'n' ? '\n' : '\\'))
}

async function bytesOf(path: string): Promise<Buffer> {
  const bytes = await readEnd(path, most)
  if (!bytes) return Buffer.alloc(0)
  // What was cut off at the front is not the beginning of a command.
  return bytes.length < most ? bytes : bytes.subarray(bytes.indexOf(0x0a) + 1)
}
