import { readFileSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { KeeperRecord } from '#contract/keeper.ts'
import { MARK } from '#contract/keeper-protocol.ts'
import { findPostmaster } from '#db/embedded/postmaster.ts'
import { isAlive } from '#lib/process-identity.ts'
import { listPids } from '#lib/process-list.ts'
import { readRecord } from '../../../src/main/up/record.ts'
import type { seeded } from '../../support/seeded.ts'

type Random = ReturnType<typeof seeded>
type Target = 'web' | 'worker' | 'keeper' | 'postgres' | 'agent'

export interface Fault {
  name: string
  happen(): Promise<void>
}

/** Every way in which this suite does harm to the Signalbox of a home. */
export function allFaults(home: string, random: Random, isOurs: (execution: string) => boolean): Fault[] {
  const any = <Item>(items: readonly Item[]): Item | undefined =>
    items[random.below(Math.max(1, items.length))]

  const pidsOf: Record<Target, () => number[]> = {
    web: () => childOf(home, 'web'),
    worker: () => childOf(home, 'worker'),
    keeper: () => [any(livingKeepers(home))?.identity.pid ?? 0].filter(Boolean),
    postgres: () => [findPostmaster(join(home, 'postgres/data'))?.pid ?? 0].filter(Boolean),
    agent: () =>
      [any(markedProcesses().filter(({ execution }) => isOurs(execution)))?.pid ?? 0].filter(Boolean),
  }
  const targets = Object.keys(pidsOf) as Target[]

  const kills = targets.map((target) => ({
    name: `kill ${target}`,
    async happen() {
      for (const pid of pidsOf[target]()) signal(pid, 'SIGKILL')
    },
  }))

  const freezes = targets.map((target) => ({
    name: `freeze ${target}`,
    async happen() {
      // Postgres is many processes, and frozen only when all of them are.
      const pids = pidsOf[target]().flatMap((pid) =>
        target === 'postgres' ? [pid, ...childrenOf(pid)] : [pid],
      )
      for (const pid of pids) signal(pid, 'SIGSTOP')
      // Now and then for so long that others take it for gone.
      await wait(random.below(4) === 0 ? 8_000 : 500 + random.below(2_500))
      for (const pid of pids) signal(pid, 'SIGCONT')
    },
  }))

  const cut = {
    name: 'cut the socket',
    async happen() {
      const keeper = any(livingKeepers(home))
      if (keeper) rmSync(keeper.socket, { force: true })
    },
  }

  const fill = {
    name: 'fill the disk',
    async happen() {
      const ballast = join(home, 'keepers/.ballast')
      const { bavail, bsize } = statfsSync(join(home, 'keepers'))
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize))
      } catch {
        // somebody else took the last of it: full is full
      }
      await wait(500 + random.below(2_500))
      rmSync(ballast, { force: true })
    },
  }
  return [...kills, ...freezes, cut, fill]
}

export function livingKeepers(home: string): KeeperRecord[] {
  return readdirSync(join(home, 'keepers')).flatMap((id) => {
    try {
      const record = KeeperRecord.parse(
        JSON.parse(readFileSync(join(home, 'keepers', id, 'keeper.json'), 'utf8')),
      )
      return isAlive(record.identity) ? [record] : []
    } catch {
      return [] // not up yet, or gone
    }
  })
}

/** Every process on the machine that belongs to some execution. */
export function markedProcesses(): { pid: number; execution: string }[] {
  return listPids().flatMap((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      const mark = environment.find((entry) => entry.startsWith(`${MARK}=`))
      return mark ? [{ pid, execution: mark.slice(MARK.length + 1) }] : []
    } catch {
      return []
    }
  })
}

function childOf(home: string, name: string): number[] {
  const child = readRecord(home)?.children.find((one) => one.name === name)
  return child && isAlive(child) ? [child.pid] : []
}

function childrenOf(parent: number): number[] {
  return listPids().filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
    } catch {
      return false
    }
  })
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // it was quicker
  }
}
