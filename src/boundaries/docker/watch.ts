import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { isGoneWithin, signalProcess } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import { EngineRefused } from './engine.ts'
import type { Engine } from './engine.ts'

/** One container, as its engine tells of it. */
export interface Watch {
  /** Resolves, with the reason, once it is sure that nothing in there lives any more. Never rejects. */
  dead: Promise<string>
  /** How often something in there was killed because the memory was at its end. */
  readonly ooms: number
  /** Whether one more than `before` is told of within this time. */
  oomSince(before: number, patienceMs: number): Promise<boolean>
  /** Looks now, not only when the engine tells: asked when the line to the host is lost. */
  look(): void
  /** Kills it without asking the engine, where we may. */
  kill(): void
  close(): void
}

interface Told {
  Action: string
  timeNano: number
  Actor: { Attributes: { exitCode?: string } }
}

interface Inspected {
  State: { Running: boolean; ExitCode: number; OOMKilled: boolean; Pid: number }
}

const againMs = 500
const oomLookMs = 20
/** Something else may have run out of memory long before. */
const recentNs = 2e9
const killed = 137
const killMs = 5_000

/** Begins to listen before it resolves: what happens from then on is not missed. Rejects with EngineRefused or EngineAway. */
export async function watchContainer(engine: Engine, id: string): Promise<Watch> {
  const dead = Promise.withResolvers<string>()
  let [ooms, lastOom, isOver, since] = [0, 0, false, '']
  let first: ProcessIdentity | undefined
  let following: { destroy(): void } | undefined

  const over = (reason: string) => {
    isOver = true
    following?.destroy()
    dead.resolve(reason)
  }

  function hear({ Action, timeNano, Actor }: Told): void {
    since = `${Math.floor(timeNano / 1e9)}.${String(timeNano % 1e9).padStart(9, '0')}`
    if (Action === 'oom') [ooms, lastOom] = [ooms + 1, timeNano]
    const wasOom = ooms > 0 && timeNano - lastOom < recentNs
    if (Action === 'die') over(reasonOf(Number(Actor.Attributes.exitCode ?? -1), wasOom))
    if (Action === 'destroy') over('its container was removed')
  }

  async function listen(): Promise<AsyncIterable<string>> {
    const filters = JSON.stringify({ type: ['container'], container: [id] })
    const query: Record<string, string> = since ? { filters, since } : { filters }
    const answer = await engine.follow('GET', '/events', { query })
    following = answer
    return createInterface(answer.on('error', () => undefined))
  }

  /** The engine may be restarted under a container; what it does not tell then is found out by looking. */
  async function go(told: AsyncIterable<string>): Promise<void> {
    for (let lines: AsyncIterable<string> | undefined = told; !isOver;) {
      await hearAll(lines ?? [])
      if (!isOver) await look()
      if (isOver) return
      await wait(againMs, undefined, { ref: false })
      lines = await listen().catch(() => undefined)
    }
  }

  async function hearAll(lines: AsyncIterable<string> | never[]): Promise<void> {
    try {
      for await (const line of lines) if (!isOver) hear(JSON.parse(line))
    } catch {
      // it was cut off in the middle of a line: it is listened to again
    }
  }

  async function look(): Promise<void> {
    try {
      const { State } = await engine.ask<Inspected>('GET', `/containers/${id}/json`)
      if (State.Running) first ??= identify(State.Pid)
      else over(reasonOf(State.ExitCode, State.OOMKilled))
    } catch (error) {
      if (error instanceof EngineRefused && error.status === 404) over('its container is gone')
      // Without its first process nothing in a container lives, whether the engine is there to say so or not.
      else if (first && !isAlive(first)) over('its container has ended while the engine was away')
    }
  }

  void go(await listen())
  return {
    dead: dead.promise,
    get ooms() {
      return ooms
    },
    async oomSince(before, patienceMs) {
      for (const late = Date.now() + patienceMs; ooms <= before && Date.now() < late;) await wait(oomLookMs)
      return ooms > before
    },
    look: () => void look(),
    kill() {
      if (!first) return
      signalProcess(first, 'SIGKILL')
      void isGoneWithin(first, killMs).then((isGone) => isGone && over('its container was killed'))
    },
    close() {
      isOver = true
      following?.destroy()
    },
  }
}

function reasonOf(exitCode: number, wasOom: boolean): string {
  if (wasOom && exitCode === killed) return 'its memory was at its end, and it was killed for that'
  if (exitCode === killed) return 'its container was killed'
  return `its container has ended with ${exitCode}`
}
