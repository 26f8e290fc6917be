import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command, ProgramSchema } from '#contract/discovery.ts'
import { NotStarted } from '#lib/program.ts'
import { someAtATime } from '#lib/some-at-a-time.ts'
import type { SeenProgram } from '../port.ts'
import type { Said, Walls } from '../walls.ts'
import { newCommand, newSchema } from './command.ts'
import type { NamedCommand } from './help-commands.ts'
import { readHelp } from './help.ts'
import type { ReadHelp } from './help.ts'

/** So many commands are asked for their own help. */
const mostAsked = 40

/** Programs that act before they read what they are told, or on which the machine hangs. No walls are worth trying that. */
const neverRun =
  /^(shutdown|reboot|poweroff|halt|(tel)?init|kexec|systemd|(mkfs|fsck|mke2fs|mkswap)\b.*|[scg]?g?fdisk|parted|wipefs|blkdiscard|cryptsetup|hdparm|flashrom|getty|agetty|login|sulogin|switch_root|pivot_root)$/

export interface HelpText {
  text: string
  schema: ProgramSchema
}

/** Says why a program is not to be run, not even in walls. */
export function whyNotRun({
  name,
  realPath,
  class: kind,
}: Pick<SeenProgram, 'name' | 'realPath' | 'class'>): string | undefined {
  if (kind === 'daemon') return `${name} is a service: it is not started to be asked for help.`
  if (neverRun.test(name) || neverRun.test(basename(realPath)))
    return `${name} can do harm whatever it is told: it is not run to be asked for help.`
  return undefined
}

export interface HelpHow {
  signal?: AbortSignal | undefined
  /** Whether a command is worth being asked itself. */
  isAsked: (word: string) => boolean
  /** For how long it is asked as a whole, and after that for all its commands; for those 0 is not at all. */
  patienceMs: { whole: number; below: number }
  /** Commands that are known of otherwise, and are to be asked too. */
  also: readonly string[]
}

/**
 * What a program says of itself when it is asked. Rejects with an Error that says why nothing came of it: NotStarted when
 * the program itself could do nothing about it.
 */
export async function fromHelp(program: SeenProgram, walls: Walls, how: HelpHow): Promise<HelpText> {
  const reason = whyNotRun(program)
  if (reason) throw new Error(reason)
  const { text, read } = await askInTime(program, walls, how)
  const others = how.also.filter((word) => !read.below.some((one) => one.word === word))
  // Some show themselves as the first of their commands.
  const below = [...read.below, ...others.map((word) => ({ word, description: '' }))].filter(
    ({ word }) => word !== program.name,
  )
  const asked = below.filter(({ word }) => word !== 'help' && how.isAsked(word))
  const details = await askBelow(program, asked, { ...how, walls, rootText: text })
  const commands = below.flatMap((one) => withDetails(one, details.get(one.word)))
  return { text, schema: newSchema('help', [read.command, ...commands]) }
}

function withDetails({ word, description }: NamedCommand, more: ReadHelp | undefined): Command[] {
  if (!more) return [newCommand([word], { description })]
  const deeper = more.below.map((one) => newCommand([word, one.word], { description: one.description }))
  return [{ ...more.command, description: description || more.command.description }, ...deeper]
}

/** A busy machine may take longer to put up walls than anybody wants to wait for. */
async function askInTime(program: SeenProgram, walls: Walls, { signal, patienceMs }: HelpHow) {
  const late = AbortSignal.timeout(patienceMs.whole)
  return ask(program, [], walls, signal ? AbortSignal.any([signal, late]) : late).catch((error: unknown) => {
    signal?.throwIfAborted()
    if (!late.aborted) throw error
    throw new NotStarted(
      `${program.name} was not asked to the end: this machine was too busy to run it within ${patienceMs.whole / 1_000} s. Look again later.`,
      { cause: error },
    )
  })
}

interface Asking extends HelpHow {
  walls: Walls
  rootText: string
}

/** One that only repeats what the whole program says knows nothing of its own. */
async function askBelow(
  program: SeenProgram,
  below: NamedCommand[],
  { walls, signal, rootText, patienceMs }: Asking,
): Promise<Map<string, ReadHelp>> {
  if (patienceMs.below === 0) return new Map()
  const late = new AbortController()
  const stopping = signal ? AbortSignal.any([signal, late.signal]) : late.signal
  const found = new Map<string, ReadHelp>()
  const asked = someAtATime(below.slice(0, mostAsked), 2, async ({ word }) => {
    const answer = await ask(program, [word], walls, stopping).catch(() => undefined)
    if (answer && answer.text !== rootText) found.set(word, answer.read)
  })
  await Promise.race([asked, wait(patienceMs.below, undefined, { ref: false })])
  late.abort()
  await asked
  signal?.throwIfAborted()
  return found
}

/** Git shows a manual page to those who ask at length, go has a command for it; the others know one of these two. */
function waysToAsk(name: string, words: readonly string[]): string[][] {
  if (name === 'git' && words.length > 0) return [[...words, '-h']]
  if (name === 'go') return [['help', ...words]]
  if (name === 'openssl') return [words.length > 0 ? [...words, '-help'] : ['help']]
  return [
    [...words, '--help'],
    [...words, '-h'],
  ]
}

async function ask(
  program: SeenProgram,
  words: readonly string[],
  walls: Walls,
  signal?: AbortSignal,
): Promise<{ text: string; read: ReadHelp }> {
  let trouble = ''
  for (const argv of waysToAsk(program.name, words)) {
    const said = await walls.run(program.path, argv, signal)
    const read = [said.stdout, said.stderr].map((text) => ({
      text,
      read: readHelp(text, [program.name, ...words]),
    }))
    const [best] = read.toSorted((one, other) => worth(other.read) - worth(one.read))
    if (best && worth(best.read) > 0) return best
    trouble ||= troubleOf(`${program.name} ${argv.join(' ')}`, said)
    // One that hangs would hang again.
    if (said.ended !== 'itself') break
  }
  throw new Error(trouble)
}

const worth = ({ command, below }: ReadHelp): number =>
  command.options.length + below.length + command.positionals.length

function troubleOf(line: string, { ended, exitCode, stdout, stderr }: Said): string {
  if (ended === 'late')
    return `${line} did not end within 2 s, and said nothing that could be read as help until then.`
  if (ended === 'flood') return `${line} said more than 256 KB, and nothing in it could be read as help.`
  const [words = ''] = (stderr.trim() || stdout.trim()).split('\n')
  if (/not a (tty|terminal)|no (tty|terminal)|TERM environment|open terminal/i.test(stderr))
    return `${line} needs a terminal: ${words.slice(0, 200)}`
  return words === ''
    ? `${line} said nothing (it ended with ${exitCode ?? 'a signal'}).`
    : `${line} said nothing that could be read as help: ${words.slice(0, 200)}`
}
