import { setTimeout as wait } from 'node:timers/promises'
import { EngineRefused } from './engine.ts'
import type { Engine } from './engine.ts'
import { listenToStart } from './first-words.ts'
import { watchContainer } from './watch.ts'
import type { Watch } from './watch.ts'

/** A container that was started. */
export interface Container extends Pick<Watch, 'dead' | 'ooms' | 'oomSince'> {
  /** Resolves when it has ended before it was settled: with why, and with what it said. Never rejects. */
  early: Promise<EndedEarly>
  /** Its host is there: what it says from now on is nobody's business. */
  settle(): void
  /** Kills it, proves that it is dead, and removes it. False when that did not succeed in time; it is tried on. Never rejects. */
  takeDown(reason: string): Promise<boolean>
}

/** It has ended before its host was there. */
export class EndedEarly extends Error {
  readonly said: string

  constructor(reason: string, said: string) {
    super(reason)
    this.said = said
  }
}

const patienceMs = 20_000
const againMs = 250
const removeMs = 60_000
/** Whoever waits longer than this does not wait for the engine. */
const slowMs = 3_000
/** What is not removed by then is left to the janitor. */
const giveUpMs = 600_000
/** Dead is dead; that it is removed as well is only tidy. */
const settleMs = 5_000

/** Rejects with EngineRefused or EngineAway, and nothing is left of it then. */
export async function openContainer(engine: Engine, name: string, body: object): Promise<Container> {
  const at = `/containers/${name}`
  let watch: Watch | undefined
  let taken: { reason: string; done: Promise<boolean> } | undefined

  /** The engine may be slow, or away for a while. That the container is dead does not need it. */
  async function remove(): Promise<boolean> {
    for (
      const late = Date.now() + giveUpMs;
      Date.now() < late;
      await wait(againMs, undefined, { ref: false })
    )
      if (await removeOnce()) return true
    return false
  }

  async function removeOnce(): Promise<boolean> {
    const slow = setTimeout(() => watch?.kill(), slowMs)
    try {
      await engine.ask('DELETE', at, { query: { force: '1', v: '1' }, limitMs: removeMs })
      return true
    } catch (error) {
      if (error instanceof EngineRefused && error.status === 404) return true
      watch?.kill()
      return false
    } finally {
      clearTimeout(slow)
    }
  }

  function takeDown(reason: string): Promise<boolean> {
    taken ??= { reason, done: remove() }
    const { done } = taken
    const dead = watch?.dead.then(() => Promise.race([done, wait(settleMs, true, { ref: false })]))
    return Promise.race([done, ...(dead ? [dead] : []), wait(patienceMs, false, { ref: false })])
  }

  try {
    await engine.ask('POST', '/containers/create', { query: { name }, body })
    const [watched, words] = await Promise.all([watchContainer(engine, name), listenToStart(engine, name)])
    watch = watched
    await engine.ask('POST', `${at}/start`)
    watched.look()
    return {
      dead: watched.dead.then((reason) => taken?.reason ?? reason),
      get ooms() {
        return watched.ooms
      },
      oomSince: (before, ms) => watched.oomSince(before, ms),
      early: watched.dead.then(async (reason) => new EndedEarly(reason, await words.all())),
      settle: () => words.close(),
      takeDown,
    }
  } catch (error) {
    watch?.close()
    await takeDown('it was not started')
    throw error
  }
}
