import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ApiWriter } from './api/api.ts'
import { Checker } from './check/checker.ts'
import { unpacked } from './frozen-run.ts'
import { OwnRun, cancelled, settledOf } from './live-run.ts'
import { CodeBusy } from './port.ts'
import type { CodeEnding, CodeHands, CodeMode, CodeRun, CodeWanted, FrozenRun, Outcome } from './port.ts'
import { Pool, PoolFull } from './pool/pool.ts'
import { Preparation } from './prepared.ts'
import { makeImage } from './sandbox/image.ts'
import type { RunLimits } from './sandbox/vm.ts'
import { readImage, storedImage } from './sandbox/stored-image.ts'
import { unpackedMap } from './strip/line-map.ts'

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
const checkLimits = { cpuMs: 4_000, wallMs: 30_000, memoryBytes: 1024 ** 3 }

export function openCodeMode(settings: CodeModeSettings): CodeMode {
  const wasm = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')
  const image = makeImage(readFileSync(wasm), settings.mostMemoryBytes)
  const { threads, mostWaiting, mostWaitingOfOne } = settings
  const poolSettings = { ...threads, mostWaiting, mostWaitingOfOne }
  const pool = new Pool(image, poolSettings)
  /** Of images that were ours once: for what was frozen over them. */
  const earlier = new Map<string, Pool>()
  const checker = new Checker({ idleMs: settings.checkerIdleMs ?? 60_000, ...checkLimits })
  const preparation = new Preparation(checker)
  const writer = new ApiWriter()
  let preparing = 0
  let isClosed = false

  const poolOf = (hash: string, image_?: { hash: string; bytes: Uint8Array }): Pool => {
    if (hash === image.hash) return pool
    const known = earlier.get(hash)
    if (known) return known
    if (image_?.hash !== hash) throw new Error('It was frozen over an image that is not here')
    const made = new Pool(readImage(image_), { ...poolSettings, min: 0, max: 1 })
    earlier.set(hash, made)
    return made
  }

  const admit = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw error instanceof PoolFull ? new CodeBusy(error.message) : error
    }
  }

  function run(wanted: CodeWanted, hands: CodeHands): CodeRun {
    if (isClosed) throw new CodeBusy('Code is not run any more: Signalbox is being stopped')
    if (preparing >= mostWaiting || checker.waitingOf(wanted.owner) >= mostWaitingOfOne)
      throw new CodeBusy(`${preparing} executions wait for their check already`)
    const leave = new AbortController()
    let live: OwnRun | undefined
    let wantsFreeze: ((frozen: Promise<FrozenRun | undefined>) => void) | undefined
    preparing += 1
    const begun = async (): Promise<CodeEnding | undefined> => {
      const prepared = await preparation.prepare(wanted, leave.signal).finally(() => (preparing -= 1))
      if (leave.signal.aborted) return cancelled(String(leave.signal.reason))
      if ('refused' in prepared) return prepared.refused
      const { map, code } = prepared
      const timeoutMs = wanted.timeoutMs * (wanted.isExtendable ? 2 : 1)
      const job = {
        owner: wanted.owner,
        limits: limitsOf(wanted, timeoutMs),
        timeoutMs,
        clockMs: wanted.clockMs,
        from: { code, setting: { seed: wanted.seed, context: wanted.context } },
      }
      live = new OwnRun(pool, job, { hands, map, timeoutMs, ranMs: 0 })
      wantsFreeze?.(live.freeze())
      return live.ended
    }
    const ended = begun().catch((error: unknown) =>
      leave.signal.aborted
        ? cancelled(String(leave.signal.reason))
        : cancelled(error instanceof Error ? error.message : String(error)),
    )
    return {
      ended,
      freeze: () => {
        if (live) return live.freeze()
        const { promise, resolve } = Promise.withResolvers<FrozenRun | undefined>()
        wantsFreeze = resolve
        void ended.then(() => resolve(undefined))
        return promise
      },
      cancel: (message) => {
        leave.abort(message)
        live?.cancel(message)
      },
    }
  }

  function thaw(
    frozen: FrozenRun,
    hands: CodeHands,
    more: { owner: string; outcomes: readonly Outcome[]; stored?: { hash: string; bytes: Uint8Array } },
  ): CodeRun & { settle(outcome: Outcome): void } {
    const { frozen: memory, state } = unpacked(frozen)
    const where = poolOf(frozen.image, more.stored)
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<CodeEnding | undefined>()
    let live: OwnRun | undefined
    const go = (outcomes: readonly Outcome[]) => {
      const { limits, clockMs, timeoutMs, ranMs, meter } = state
      const job = {
        owner: more.owner,
        limits,
        timeoutMs: Math.max(1, timeoutMs - ranMs),
        clockMs,
        from: { frozen: memory, meter, settled: outcomes.map(settledOf) },
      }
      live = admit(() => new OwnRun(where, job, { hands, map: unpackedMap(state.map), timeoutMs, ranMs }))
      void live.ended.then(onEnd)
    }
    if (more.outcomes.length > 0) go(more.outcomes)
    return {
      ended,
      freeze: () => {
        if (live) return live.freeze()
        onEnd(undefined)
        return Promise.resolve(frozen)
      },
      cancel: (message) => (live ? live.cancel(message) : onEnd(cancelled(message))),
      settle: (outcome) => (live ? live.settle(outcome) : go([outcome])),
    }
  }

  return {
    api: (tools) => writer.api(tools),
    observe: (tool, result) => writer.observe(tool, result),
    run,
    thaw,
    image: (hash) => (hash === image.hash ? storedImage(image) : undefined),
    load: () => {
      const { waiting, ...load } = pool.load
      return { ...load, waiting: waiting + preparing, live: load.live + preparing }
    },
    close: async () => {
      isClosed = true
      await Promise.all([checker, pool, ...earlier.values()].map((one) => one.close()))
    },
  }
}

const limitsOf = ({ cpuQuota, memoryBytes }: CodeWanted, timeoutMs: number): RunLimits => ({
  cpuMs: Math.max(1, timeoutMs * cpuQuota),
  memoryBytes,
  resultBytes: mostResultBytes,
  logBytes: mostLogBytes,
  calls: mostCalls,
})
