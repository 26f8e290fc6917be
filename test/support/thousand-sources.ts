import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { stringify } from 'yaml'
import type { HealthListing, SourceHealth } from '#contract/source.ts'
import { childrenOf } from '#lib/process-stat.ts'
import { startSignalbox } from './signalbox.ts'
import type { Signalbox } from './signalbox.ts'

const programs = join(import.meta.dirname, '../tools/programs')
const perProgram = 20
const [cutHttp, cutStdio] = [285, 15]
const patienceMs = 60_000
const lookMs = 250

export const allSources = 1_000
export const byStdio = allSources / perProgram
export const cutSources = cutHttp + cutStdio

/** The running product whose YAML file names up to a thousand sources: one in twenty is a program, the others are behind a single one. */
export interface Thousand {
  signalbox: Signalbox
  /** Writes so many of them into the file, and says so. */
  write: (count: number) => Promise<void>
  /** Waits until health says so. Rejects with what it says instead, after a minute. */
  until: (isSo: (told: HealthListing) => boolean) => Promise<HealthListing>
  /** Of the worker, resident, in KB. */
  memory: () => number
  /** Cuts three hundred; those that are no programs are let in again when they are mended. Answers with the time of it. */
  cut: () => Promise<number>
  mend: () => Promise<void>
  stop: () => Promise<void>
}

export const areHealthy =
  (count: number) =>
  ({ summary }: HealthListing): boolean =>
    summary.total === count && summary.healthy === count

/** Whether all of the three hundred have an error since then, by the word of the worker: one that says nothing tells of none. */
export const areToldOf =
  (cutAt: number) =>
  ({ servers }: HealthListing): boolean =>
    servers.filter((one) => isCut(one) && one.protocol !== null && Date.parse(one.errorAt ?? '') >= cutAt)
      .length === cutSources

export const isCut = ({ name }: SourceHealth): boolean => {
  const [kind, place] = name.split('-')
  return Number(place) < (kind === 'stdio' ? cutStdio : cutHttp)
}

export async function startThousand(count: number): Promise<Thousand> {
  const upstreams = await startUpstreams()
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-thousand-'))
  const file = join(folder, 'signalbox.config.yaml')
  const save = (some: number) => writeFile(file, stringify({ mcp: { servers: listed(upstreams.url, some) } }))
  const clean = async () => {
    upstreams.stop()
    await rm(folder, { recursive: true, force: true })
  }
  await save(count)
  const signalbox = await startSignalbox({ env: { SIGNALBOX_CONFIG: file } }).catch(
    async (error: unknown) => {
      await clean()
      throw error
    },
  )
  const health = async () => (await signalbox.call('GET', '/mcp/health')).body.data as HealthListing
  return {
    signalbox,
    async write(some) {
      await save(some)
      signalbox.process.kill('SIGHUP')
    },
    async until(isSo) {
      for (const late = Date.now() + patienceMs; ; await wait(lookMs)) {
        const told = await health()
        if (isSo(told)) return told
        if (Date.now() < late) continue
        const ill = told.servers.find(({ status }) => status !== 'healthy')
        throw new Error(
          `Health says ${JSON.stringify([told.summary, ill])}:\n${signalbox.log().slice(0, 2_000)}`,
        )
      }
    },
    memory: () => residentOf(workerOf(signalbox)),
    async cut() {
      const { servers } = await health()
      const cutAt = Date.now()
      await fetch(`${upstreams.url}/cut?below=${cutHttp}`, { method: 'POST' })
      for (const one of servers) if (one.pid !== null && isCut(one)) process.kill(one.pid, 'SIGKILL')
      return cutAt
    },
    async mend() {
      await fetch(`${upstreams.url}/mend`, { method: 'POST' })
    },
    async stop() {
      await signalbox.stop()
      await clean()
    },
  }
}

function listed(url: string, count: number): Record<string, object> {
  const retryPolicy = { maxDelay: 2_000 }
  const stdio = {
    transport: 'stdio',
    command: '/bin/sh',
    args: [join(programs, 'tiny-server.sh')],
    retryPolicy,
  }
  return Object.fromEntries(
    Array.from({ length: count }, (_, at): [string, object] => {
      const program = Math.floor(at / perProgram)
      if (at % perProgram === 0) return [`stdio-${program}`, stdio]
      const place = at - program - 1
      return [`http-${place}`, { transport: 'http', url: `${url}/s/${place}`, retryPolicy }]
    }),
  )
}

async function startUpstreams(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [join(programs, 'many-upstreams.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { url, stop: () => void child.kill('SIGKILL') }
}

const workerOf = ({ process: { pid = 0 } }: Signalbox): number =>
  childrenOf(pid).find((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('main/worker.ts')) ?? 0

const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
