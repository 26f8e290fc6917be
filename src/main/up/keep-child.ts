import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { RecordedChild } from '#contract/up.ts'
import { endProcess, isGoneWithin, signalProcess } from '#lib/process-end.ts'
import { newBackoff } from './backoff.ts'
import { startChild } from './child.ts'
import type { Child, ChildEnd, ChildPlan } from './child.ts'

export interface KeptChild {
  /** Resolves with its address once it serves for the first time. */
  readonly ready: Promise<string>
  /** Resolves only when it cannot be kept running, with why and with the exit code that `up` should end with. */
  readonly failed: Promise<ChildFailure>
  signal(signal: NodeJS.Signals): void
  /** Ends it, by force after `patienceMs` or in a hurry, and resolves once it is gone; never rejects. */
  stop(hurry: AbortSignal, patienceMs?: number): Promise<void>
}

interface ChildFailure {
  code: number
  message: string
}

interface KeepOptions {
  /** The environment of the next start, given the address of the last one. */
  plan: (lastUrl: string | undefined) => ChildPlan
  log: Logger
  onStart: (child: RecordedChild) => void
  /** Instead of SIGTERM it is told goodbye, and gets this long to end the others first. */
  farewellMs?: number | undefined
}

const badConfiguration = 78
const firstStarts = 5
const readyWithinMs = 60_000
const hurriedMs = 2_000

/** Starts a child, and starts it again whenever it dies. */
export function keepChild({ plan, log, onStart, farewellMs }: KeepOptions): KeptChild {
  const stopping = new AbortController()
  const ready = Promise.withResolvers<string>()
  const failed = Promise.withResolvers<ChildFailure>()
  let current: Child | undefined
  let url: string | undefined
  const kept = keep().catch((error: unknown) => {
    failed.resolve({ code: 1, message: error instanceof Error ? error.message : String(error) })
  })

  async function keep(): Promise<void> {
    const backoff = newBackoff()
    for (let starts = 1; !stopping.signal.aborted; starts++) {
      const started = Date.now()
      const { name, ...rest } = plan(url)
      let served = false
      const child = startChild({ name, ...rest }, (address) => {
        clearTimeout(late)
        served = true
        url = address
        ready.resolve(address)
      })
      current = child
      if (child.identity) onStart({ name, ...child.identity })
      const late = setTimeout(() => kill(child), readyWithinMs)
      const end = await child.exited
      clearTimeout(late)
      if (stopping.signal.aborted) return
      const code = fatalCode(end, starts)
      if (code !== undefined) {
        failed.resolve({ code, message: `${name} ${url ? 'ended' : 'could not start'} (${describe(end)})` })
        return
      }
      const delay = backoff(served ? Date.now() - started : 0)
      log.warn({ child: name, ...end, delay }, `${name} ended (${describe(end)}), starting it again`)
      await wait(delay, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  /** A child that ends by itself before it ever served will do so again; one that was killed or refused had bad luck. */
  function fatalCode({ code }: ChildEnd, starts: number): number | undefined {
    if (code === badConfiguration) return badConfiguration
    if (url === undefined && (code !== null || starts >= firstStarts)) return 1
    return undefined
  }

  return {
    ready: ready.promise,
    failed: failed.promise,
    signal: (signal) => {
      if (current?.identity) signalProcess(current.identity, signal)
    },
    async stop(hurry, patienceMs = 5_000) {
      stopping.abort()
      if (current && farewellMs !== undefined) await sayFarewell(current, hurry, farewellMs)
      if (current) await endChild(current, hurry, patienceMs)
      await kept
    },
  }
}

async function endChild(child: Child, hurry: AbortSignal, patienceMs: number): Promise<void> {
  if (!child.identity) return
  const hasten = () => kill(child)
  hurry.addEventListener('abort', hasten)
  if (hurry.aborted) hasten()
  await endProcess(child.identity, [{ signal: 'SIGTERM', patienceMs }])
  hasten()
  await child.exited
  hurry.removeEventListener('abort', hasten)
}

/** Resolves once it is gone, or has had its time. In a hurry it still gets a moment: those others would outlive it. */
async function sayFarewell(child: Child, hurry: AbortSignal, patienceMs: number): Promise<void> {
  const hasten = () => {
    child.tell({ type: 'farewell', hurry: true })
    setTimeout(() => kill(child), hurriedMs).unref()
  }
  hurry.addEventListener('abort', hasten)
  child.tell({ type: 'farewell', hurry: hurry.aborted })
  if (hurry.aborted) hasten()
  if (child.identity) await isGoneWithin(child.identity, patienceMs)
  hurry.removeEventListener('abort', hasten)
}

function kill({ identity }: Child): void {
  if (identity) signalProcess(identity, 'SIGKILL', { group: true })
}

const describe = ({ code, signal, refused }: ChildEnd) =>
  refused ?? (signal ? `killed by ${signal}` : `exit code ${code}`)
