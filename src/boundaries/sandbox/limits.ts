import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { DriverOnMachine, EnclosedSpec } from '#contract/workspace.ts'
import { identify } from '#lib/process-identity.ts'

type Limits = EnclosedSpec['limits']
type Lack = DriverOnMachine['lacks'][number]
type Limited = 'memory' | 'cpu' | 'pids'

/** Control groups for one sandbox. */
export interface Held {
  /** Before anything of the workspace runs: processes that come of these are held too. */
  take(pids: readonly number[]): void
  /** Files to which a process writes its own pid to be held. */
  doors: string[]
  /** What could not be limited, and why. */
  lacks: Lack[]
  /** Once all in it are dead. */
  close(): Promise<void>
}

const periodUs = 100_000
const names: Record<Limited, string> = {
  memory: 'memory limit',
  cpu: 'CPU limit',
  pids: 'limit of processes',
}
const all: readonly Limited[] = ['memory', 'cpu', 'pids']

/** The settings of one controller: files and what is written to them. Those in brackets are not there on every system. */
const settings: Record<'v1' | 'v2', Record<Limited, (limits: Limits) => [file: string, value: string][]>> = {
  v1: {
    memory: ({ memoryMb }) => [
      ['memory.limit_in_bytes', bytes(memoryMb)],
      ['[memory.memsw.limit_in_bytes]', bytes(memoryMb)],
    ],
    cpu: ({ cpus }) => [
      ['cpu.cfs_period_us', String(periodUs)],
      ['cpu.cfs_quota_us', quota(cpus)],
    ],
    pids: ({ pids }) => [['pids.max', String(pids)]],
  },
  v2: {
    memory: ({ memoryMb }) => [
      ['memory.max', bytes(memoryMb)],
      ['[memory.swap.max]', '0'],
      ['[memory.oom.group]', '0'],
    ],
    cpu: ({ cpus }) => [['cpu.max', `${quota(cpus)} ${periodUs}`]],
    pids: ({ pids }) => [['pids.max', String(pids)]],
  },
}

/** Holds what it can. Never throws: what cannot be held is told. */
export function openLimits(limits: Limits): Held {
  const name = `signalbox-${process.pid}-${randomBytes(4).toString('hex')}`
  const made = new Set<string>()
  const lacks: Lack[] = []
  for (const what of all) {
    try {
      const { parent, version } = groupFor(what)
      removeLeft(parent)
      const folder = join(parent, name)
      if (!existsSync(folder)) mkdirSync(folder)
      made.add(folder)
      for (const [file, value] of settings[version][what](limits)) set(folder, file, value)
    } catch (error) {
      lacks.push({ what: names[what], why: explain(error) })
    }
  }
  return {
    lacks,
    doors: [...made].map((folder) => join(folder, 'cgroup.procs')),
    take(pids) {
      for (const folder of made)
        for (const pid of pids) writeFileSync(join(folder, 'cgroup.procs'), String(pid))
    },
    async close() {
      for (const folder of made) await remove(folder)
    },
  }
}

/** Where groups of ours can be made for a controller. Throws, with the reason, when there is no such place. */
function groupFor(what: Limited): { parent: string; version: 'v1' | 'v2' } {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').map(readMount)
  const own = readFileSync('/proc/self/cgroup', 'utf8').split('\n')
  const old = mounts.find(({ kind, options }) => kind === 'cgroup' && options.includes(what))
  const [, ownPath = '/'] =
    own
      .map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
      .find((found) => found?.[1]?.split(',').includes(what))
      ?.slice(1) ?? []
  if (old) return { parent: join(old.folder, withinMount(ownPath, old.root)), version: 'v1' }
  const unified = mounts.find(({ kind }) => kind === 'cgroup2')
  if (!unified) throw new Error('there are no control groups here')
  const parent = join(unified.folder, 'signalbox')
  if (!readFileSync(join(unified.folder, 'cgroup.controllers'), 'utf8').split(/\s/).includes(what))
    throw new Error(`the control groups of this system have no controller for ${what}`)
  if (!existsSync(parent)) mkdirSync(parent)
  for (const folder of [unified.folder, parent])
    writeFileSync(join(folder, 'cgroup.subtree_control'), `+${what}`)
  return { parent, version: 'v2' }
}

/** What those left who were killed before they could take it away. One that still holds somebody cannot be removed. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^signalbox-(\d+)-[0-9a-f]{8}$/.exec(name) ?? []
    if (pid === undefined || identify(Number(pid))) continue
    try {
      rmdirSync(join(parent, name))
    } catch {
      // somebody is in it, or another was quicker
    }
  }
}

function readMount(line: string): { root: string; folder: string; kind: string; options: string[] } {
  const [before = '', after = ''] = line.split(' - ')
  const [, , , root = '', folder = ''] = before.split(' ')
  const [kind = '', , options = ''] = after.split(' ')
  return { root, folder, kind, options: options.split(',') }
}

/** In a container only a part of the tree is mounted. */
const withinMount = (path: string, root: string): string =>
  root !== '/' && path.startsWith(root) ? path.slice(root.length) : path

function set(folder: string, named: string, value: string): void {
  const isOptional = named.startsWith('[')
  const file = join(folder, isOptional ? named.slice(1, -1) : named)
  if (isOptional && !existsSync(file)) return
  writeFileSync(file, value)
}

/** The kernel takes a moment to let go of the last one. */
async function remove(folder: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    try {
      return rmdirSync(folder)
    } catch {
      if (!existsSync(folder)) return
      await wait(20)
    }
  }
}

const bytes = (megabytes: number): string => String(megabytes * 1_048_576)
const quota = (cpus: number): string => String(Math.max(1_000, Math.round(cpus * periodUs)))

function explain(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return (
      'it needs a control group, and the user who runs Signalbox may not make any here (in /sys/fs/cgroup); ' +
      'the driver docker has its limits without that'
    )
  if (code === 'EBUSY') return 'the control groups of this system are in use in a way that leaves us none'
  return error instanceof Error ? error.message : String(error)
}
