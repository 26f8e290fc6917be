import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { endGroup, signalProcess } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import { listPids } from '#lib/process-list.ts'
import { namespaceOf } from '#lib/process-stat.ts'

/** A pid namespace made by bubblewrap. The kernel ends everything in it when its first process dies, and that one with us. */
export interface PidNamespace {
  /** Its first process, which collects orphans. When it is gone, so is everything in here. */
  init: ProcessIdentity
  /** Resolves when bubblewrap has seen the first process die. */
  gone: Promise<void>
  /** The words that run a command in it, in this folder and in a session of its own. */
  enter(cwd: string): string[]
  /** The same on the terminal that the words are executed on. */
  enterOnTerminal(cwd: string): string[]
  /** All that live in it, but for those that only hold it open. */
  members(): ProcessIdentity[]
  /** Whether it shows the same file systems as there are outside; those that were mounted later are missing in it. */
  isCurrent(): boolean
}

export interface NamespaceTools {
  bwrap: string
  nsenter: string
  setsid: string
  env: string
  /** Folders that look empty in there: where keys and sockets of ours are. One with a `+` before it is shown all the same. */
  hidden: readonly string[]
  /** Holds the namespace open for as long as we live, and tells by an echo that it is there. */
  tee: string
}

const patienceMs = 5_000
const fromKeys = 'INT,QUIT,TSTP'

/** Rejects when the machine does not allow it, with what bubblewrap says. */
export async function openNamespace(tools: NamespaceTools): Promise<PidNamespace> {
  const mounts = mountsHere()
  const { init, gone } = await makeNamespace(tools)
  const name = namespaceOf(init.pid, 'pid')
  if (!name || name === namespaceOf('self', 'pid')) throw new Error('bubblewrap made no pid namespace')
  const holders = new Set(findInside(name))
  const entersUser = namespaceOf(init.pid, 'user') !== namespaceOf('self', 'user')
  const nsenter = (cwd: string) => [
    tools.nsenter,
    `--target=${init.pid}`,
    ...(entersUser ? ['--user', '--preserve-credentials'] : []),
    '--mount',
    '--pid',
    `--wd=/proc/${init.pid}/root${cwd}`,
    '--',
  ]
  return {
    init,
    gone,
    enter: (cwd) => [...nsenter(cwd), tools.setsid],
    // Keys that interrupt a program reach all that share its terminal, and nsenter would end before the program does.
    enterOnTerminal: (cwd) => [
      tools.env,
      `--ignore-signal=${fromKeys}`,
      ...nsenter(cwd),
      tools.env,
      `--default-signal=${fromKeys}`,
    ],
    members() {
      const found = findInside(name).filter((pid) => !holders.has(pid))
      const living = found.flatMap((pid) => identify(pid) ?? [])
      return isAlive(init) ? living : [] // once it is gone, another namespace may get its name
    },
    isCurrent: () => mountsHere() === mounts,
  }
}

async function makeNamespace({
  bwrap,
  tee,
  hidden,
}: NamespaceTools): Promise<Pick<PidNamespace, 'init' | 'gone'>> {
  const [shown, emptied] = [hidden.filter(isShown), hidden.filter((folder) => !isShown(folder))]
  const mask = emptied.flatMap((folder) => ['--tmpfs', folder])
  const holes = shown.flatMap((folder) => ['--bind', folder.slice(1), folder.slice(1)])
  const view = ['--dev-bind', '/', '/', '--proc', '/proc', ...mask, ...holes]
  const child = spawn(
    bwrap,
    [...view, '--unshare-pid', '--die-with-parent', '--json-status-fd', '3', '--', tee],
    { cwd: '/', env: {}, detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] },
  )
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  // What it began dies with it only once the namespace stands: before that it is still of its group, and would wait for ever.
  let first: ProcessIdentity | undefined
  child.once('exit', () => {
    endGroup(child.pid!)
    if (first) signalProcess(first, 'SIGKILL')
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    void gone.then(() => reject(new Error(complaint.trim().split('\n', 1)[0] || 'bubblewrap ended at once')))
  })
  const status = child.stdio[3] as Readable
  const isThere = Promise.all([firstLine(status), once(child.stdout, 'data')])
  child.stdin.on('error', () => undefined)
  child.stdin.write('\n')
  failed.catch(() => undefined)
  const late = setTimeout(() => {
    complaint = `bubblewrap did not answer within ${patienceMs / 1000} s`
    child.kill('SIGKILL')
  }, patienceMs)
  const [said] = await Promise.race([isThere, failed]).finally(() => clearTimeout(late))
  const init = identify(JSON.parse(said)['child-pid'])
  first = init
  if (!init) throw new Error('bubblewrap does not say what it started')
  return { init, gone }
}

const isShown = (folder: string): boolean => folder.startsWith('+')

/** Bubblewrap writes its status piece by piece. What follows the first line is read and forgotten. */
function firstLine(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      const end = text.indexOf('\n')
      if (end !== -1) resolve(text.slice(0, end))
    })
  })
}

const findInside = (name: string): number[] => listPids().filter((pid) => namespaceOf(pid, 'pid') === name)

const mountsHere = (): string => readFileSync('/proc/self/mountinfo', 'utf8')
