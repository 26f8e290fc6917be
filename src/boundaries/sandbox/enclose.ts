import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { InsideOwner } from '#lib/inside-owner.ts'
import { withoutInherited } from '#lib/inherited.ts'
import { killPatienceMs } from '#lib/process-end-all.ts'
import { endGroup, signalProcess } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import { NotStarted } from '#lib/program.ts'

import { seccompFilter } from './seccomp.ts'
import { descriptors, ownFiles } from './words.ts'

/** A process in walls of bubblewrap. */
export interface Enclosed {
  /** The first process of its pid namespace: when it is gone, so is everything inside. */
  init: ProcessIdentity
  /** Lets it begin: until then it waits. */
  begin(): void
  /** Resolves when all is dead, with what was said last. */
  dead: Promise<string>
  /** Kills everything inside. False when it outlived that. */
  kill(): Promise<boolean>
  stdout: Readable
}

const patienceMs = 15_000
const keptBytes = 4_096
const mostBytes = 65_536

/** Puts up the walls with the words of `sandboxWords`. What runs in them waits for `begin`. Rejects with NotStarted. */
export async function enclose(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  owner: InsideOwner,
): Promise<Enclosed> {
  const filter = seccompFilter()
  if (!filter) throw new NotStarted(`Sandboxes are for x86-64 and arm64; this machine is ${process.arch}.`)
  const [command = '', ...args] = words
  const handed = withoutInherited(['ignore' as const, ...Array.from({ length: 8 }, () => 'pipe' as const)])
  const child = spawn(command, args, { cwd: '/', env: { ...env }, detached: true, stdio: handed.stdio })
  handed.close()
  const heard = lastWords(child.stderr!)
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', () => resolve(heard()))
  })
  // Who dies with its parent is told so only once the walls stand: before that it is still of bubblewrap's group, and would wait
  // for ever for one that was killed.
  let first: ProcessIdentity | undefined
  child.once('exit', () => {
    endGroup(child.pid!)
    if (first) signalProcess(first, 'SIGKILL')
  })
  const files = { ...ownFiles(owner), seccomp: filter }
  for (const [name, content] of Object.entries(files))
    pipeTo(child, descriptors[name as keyof typeof files]).end(content)
  const block = pipeTo(child, descriptors.block)

  const failed = exited.then((words) => {
    throw new NotStarted(explain(words))
  })
  failed.catch(() => undefined)
  const late = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const status = child.stdio[descriptors.status] as Readable
  const init = await Promise.race([firstPid(status), failed]).finally(() => clearTimeout(late))
  const identity = identify(init)
  first = identity
  if (!identity) throw new NotStarted(explain(await exited))
  return {
    init: identity,
    begin: () => void block.end('\n'),
    stdout: child.stdout!,
    dead: exited,
    async kill() {
      signalProcess(identity, 'SIGKILL')
      await Promise.race([exited, wait(killPatienceMs, undefined, { ref: false })])
      return !isAlive(identity)
    },
  }
}

function pipeTo(child: ChildProcess, descriptor: number): Writable {
  const pipe = child.stdio[descriptor] as Writable
  pipe.on('error', () => undefined) // it ended before it read this, and says why
  return pipe
}

/** Bubblewrap writes its status piece by piece. */
function firstPid(status: Readable): Promise<number> {
  return new Promise((resolve) => {
    let text = ''
    status.setEncoding('utf8').on('data', (piece: string) => {
      if (text.length < keptBytes) text += piece
      const [, pid] = /"child-pid":\s*(\d+)\D/.exec(text) ?? []
      if (pid) resolve(Number(pid))
    })
  })
}

/** Only so much is heard of all that is said: whoever is inside can say it without end. */
function lastWords(stream: Readable): () => string {
  let text = ''
  let size = 0
  stream.on('data', (piece: Buffer) => {
    size += piece.length
    text = (text + piece.toString('utf8')).slice(-keptBytes)
    if (size > mostBytes) stream.destroy()
  })
  stream.on('error', () => undefined)
  return () => text.trim()
}

/** What bubblewrap complains of, and what to do. */
function explain(words: string): string {
  const [complaint = ''] = words.split('\n')
  const isForbidden = /namespace|uid map|not permitted|permission denied/i.test(complaint)
  const advice = isForbidden
    ? ' Users who are not root may not make namespaces here. Ask whoever runs the machine: on Ubuntu for an AppArmor profile for bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0; elsewhere sysctl user.max_user_namespaces and kernel.unprivileged_userns_clone. In a container it has to be allowed for that.'
    : ''
  return `The sandbox could not be put up: ${complaint || 'bubblewrap ended at once'}.${advice}`
}
