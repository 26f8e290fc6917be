import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { InsideOwner } from '#lib/inside-owner.ts'
import { askAllToEnd, killPatienceMs } from '#lib/process-end-all.ts'
import { signalProcess } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import { listPids } from '#lib/process-list.ts'
import { childrenOf, namespaceOf } from '#lib/process-stat.ts'
import { NotStarted } from '#lib/program.ts'
import type { EnclosedProgram } from '#lib/program.ts'
import type { Enclosure } from '../port.ts'
import type { Held } from './limits.ts'
import { seccompFilter } from './seccomp.ts'
import { descriptors, fromKeys, ownFiles } from './words.ts'
import type { SandboxPlan } from './words.ts'

interface Way {
  plan: SandboxPlan
  /** A process of the outer layer, which lives as long as the sandbox does. */
  holder: number
  owner: InsideOwner
  limits: Pick<Held, 'doors'>
  /** Of ours alone. */
  folder: string
}

export interface Entrance {
  enter: Enclosure['enter']
  /** Ends all that came in by it. False when something outlived SIGKILL. */
  endAll(): Promise<boolean>
}

const patienceMs = 10_000

/**
 * The way in for a program on a terminal. It gets walls of the same kind around the same files, on the same network, and a pid
 * namespace of its own, so that it can be ended for certain.
 */
export function openEntrance({ plan, holder, owner, limits, folder }: Way): Entrance {
  const files = { ...ownFiles(owner), seccomp: seccompFilter() ?? '' }
  const held = identify(holder)
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), content, { mode: 0o600 })
  const opened = Object.keys(files).map((name) => `${descriptors[name as keyof typeof files]}< "$0/${name}"`)
  const script = [
    ...limits.doors.map((door) => `echo $$ > '${door}' &&`),
    `exec /usr/bin/env --ignore-signal=${fromKeys} "$@" ${opened.join(' ')}`,
  ].join(' ')

  const all = new Set<Begun>()
  return {
    enter(program) {
      if (!held || !isAlive(held))
        return Promise.reject(new NotStarted('The sandbox has come down meanwhile.'))
      return Promise.resolve({
        words: ['/bin/sh', '-c', script, folder, ...plan.putUpAgain(holder, program)],
        async begun(pid, exited) {
          const one = await find(pid, exited)
          all.add(one)
          void exited.catch(() => undefined).then(() => all.delete(one))
          return one
        },
        close: () => undefined,
      })
    },
    async endAll() {
      return (await Promise.all([...all].map((one) => one.end(0)))).every(Boolean)
    },
  }
}

type Begun = Pick<EnclosedProgram, 'pid' | 'end'>

/** What became of the words is bubblewrap itself; the first process of its namespace is its child. */
async function find(pid: number, exited: Promise<unknown>): Promise<Begun> {
  let hasExited = false
  const over = exited.catch(() => undefined).then(() => (hasExited = true))
  let first: number | undefined
  const namespace = namespaceOf('self', 'pid')
  for (const late = Date.now() + patienceMs; !hasExited && Date.now() < late; await wait(5)) {
    const [child] = childrenOf(pid)
    const isInside = child !== undefined && namespaceOf(child, 'pid') !== namespace
    if (isInside && childrenOf(child).length > 0) {
      first = child
      break
    }
  }
  const init = first === undefined ? undefined : identify(first)
  const inner = (first !== undefined && childrenOf(first)[0]) || pid
  const own = first === undefined ? undefined : namespaceOf(first, 'pid')

  function* members() {
    if (!init || !isAlive(init)) return
    for (const one of listPids()) {
      const identity = one !== init.pid && namespaceOf(one, 'pid') === own && identify(one)
      if (identity) yield identity
    }
  }
  async function end(graceMs: number): Promise<boolean> {
    await askAllToEnd(members, { graceMs, looks: 1 })
    const outer = identify(pid)
    for (const one of [init, outer]) if (one) signalProcess(one, 'SIGKILL')
    await Promise.race([over, wait(killPatienceMs, undefined, { ref: false })])
    return hasExited && (init === undefined || !isAlive(init))
  }
  let ended: Promise<boolean> | undefined
  return { pid: inner, end: (graceMs) => (ended ??= end(graceMs)) }
}
