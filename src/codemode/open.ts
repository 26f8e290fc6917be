import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ApiWriter } from './api/api.ts'
import { readDefinitions } from './api/definitions-folder.ts'
import { Checker } from './check/checker.ts'
import { EarlierImages } from './earlier-images.ts'
import { unpacked } from './frozen-run.ts'
import { OwnRun, settledOf } from './live-run.ts'
import type { Course } from './live-run.ts'
import { PoolFull } from './pool/job.ts'
import type { Job } from './pool/job.ts'
import { Pool } from './pool/pool.ts'
import { CodeBusy } from './port.ts'
import type { CodeHands, CodeMode, CodeRun, CodeWanted, StoredImage } from './port.ts'
import { Preparation, diagnosticsOf } from './prepared.ts'
import type { Runnable } from './prepared.ts'
import { makeImage } from './sandbox/image.ts'
import type { RunLimits } from './sandbox/run.ts'
import { storedImage } from './sandbox/stored-image.ts'
import { unpackedMap } from './strip/line-map.ts'
import { UncheckedRun, overAlready } from './unchecked-run.ts'

export interface CodeModeSettings {
  threads: { min: number; max: number; idleMs: number }
  /** More than this no run gets, whatever it asks for. */
  mostMemoryBytes: number
  /** Runs that wait for their turn, altogether and of one owner. */
  mostWaiting: number
  mostWaitingOfOne: number
  /** Where hand-written declarations are: `NAMESPACE.d.ts`. */
  definitions?: string
  /** The type checker sleeps after so long without work. */
  checkerIdleMs?: number
  /** What should be known, and stops nothing. */
  onNote?: (note: string) => void
}

const mostResultBytes = 8 * 1024 ** 2
const mostLogBytes = 256 * 1024
const mostCalls = 10_000
const checkLimits = { cpuMs: 6_000, wallMs: 30_000, memoryBytes: 1024 ** 3 }

export function openCodeMode(settings: CodeModeSettings): CodeMode {
  const wasm = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')
  const image = makeImage(readFileSync(wasm), settings.mostMemoryBytes)
  const { threads, mostWaiting, mostWaitingOfOne, onNote = () => {} } = settings
  const pool = new Pool(image, { ...threads, mostWaiting, mostWaitingOfOne })
  const earlier = new EarlierImages()
  const checker = new Checker({ idleMs: settings.checkerIdleMs ?? 60_000, ...checkLimits })
  const writer = new ApiWriter()
  const preparation = new Preparation(checker, (hash) => writer.written(hash))
  let kept: Promise<StoredImage> | undefined
  let preparing = 0
  let isClosed = false

  const define = async (folder: string): Promise<void> => {
    const found = await readDefinitions(folder, (text) => checker.checkDeclarations(text), onNote)
    if (found.size > 0) writer.define(found)
  }
  if (settings.definitions) void define(settings.definitions)

  const started = (job: Omit<Job, 'hands'>, course: Course): OwnRun => {
    try {
      return new OwnRun(pool, job, course)
    } catch (error) {
      throw error instanceof PoolFull ? new CodeBusy(error.message) : error
    }
  }

  const begun = (wanted: CodeWanted, hands: CodeHands, { code, map, isUnread = false }: Runnable): OwnRun => {
    const { owner, timeoutMs, isExtendable = false, clockMs, seed, context } = wanted
    const limits = limitsOf(wanted)
    const job = {
      owner,
      limits,
      timeoutMs,
      isExtendable,
      clockMs,
      from: { code, setting: { seed, context, isUnread } },
    }
    return started(job, { hands, map, written: wanted.code })
  }

  function run(wanted: CodeWanted, hands: CodeHands): CodeRun {
    if (isClosed) throw new CodeBusy('Code is not run any more: Signalbox is being stopped')
    const known = preparation.known(wanted)
    if (known && 'refused' in known) return overAlready(known.refused)
    if (known) return begun(wanted, hands, known)
    const isDone = queued(wanted.owner)
    return new UncheckedRun(async (signal) => {
      const prepared = await preparation.prepare(wanted, signal).finally(isDone)
      return 'refused' in prepared ? overAlready(prepared.refused) : begun(wanted, hands, prepared)
    }, onNote)
  }

  /** Takes a place among those whose code is read, which is given back when it was. */
  function queued(owner: string): () => void {
    if (isClosed) throw new CodeBusy('Code is not run any more: Signalbox is being stopped')
    if (preparing >= mostWaiting || checker.waitingOf(owner) >= mostWaitingOfOne)
      throw new CodeBusy(`${preparing} executions wait for their check already`)
    preparing += 1
    return () => (preparing -= 1)
  }

  async function check(
    { owner, code, api }: Pick<CodeWanted, 'owner' | 'code' | 'api'>,
    signal: AbortSignal,
  ) {
    const read = { owner, code, api, isTypeScript: true, isChecked: true, context: undefined }
    const known = preparation.known(read)
    const isDone = known ? () => {} : queued(owner)
    const prepared = known ?? (await preparation.prepare(read, signal).finally(isDone))
    return 'refused' in prepared ? diagnosticsOf(prepared.refused) : []
  }

  return {
    api: (tools) => writer.api(tools),
    observe: (tool, result) => writer.observe(tool, result),
    check,
    run,
    async thaw(frozen, hands, { owner, outcomes, stored }) {
      const over = frozen.image === image.hash ? image : await earlier.of(frozen.image, stored)
      const { frozen: memory, state } = await unpacked(frozen)
      const { limits, clockMs, timeoutMs, isExtendable, meter, map } = state
      const from = {
        frozen: memory,
        meter,
        settled: outcomes.map(settledOf),
        image: over,
      }
      const job = { owner, limits, timeoutMs, isExtendable, clockMs, from }
      return started(job, { hands, map: unpackedMap(map), written: '' })
    },
    image: async (hash) => (hash === image.hash ? (kept ??= storedImage(image)) : undefined),
    load: () => {
      const { waiting, live, ...load } = pool.load
      return { ...load, waiting: waiting + preparing, live: live + preparing }
    },
    close: async () => {
      isClosed = true
      await Promise.all([checker.close(), pool.close()])
    },
  }
}

const limitsOf = ({ cpuQuota, memoryBytes, timeoutMs }: CodeWanted): RunLimits => ({
  cpuMs: Math.max(1, timeoutMs * cpuQuota),
  memoryBytes,
  resultBytes: mostResultBytes,
  logBytes: mostLogBytes,
  calls: mostCalls,
})
