import { setTimeout as wait } from 'node:timers/promises'
import type { KeptTerminal, TakeOver } from '#contract/keeper.ts'
import { NotStarted } from '#lib/program.ts'
import { Refused } from './refused.ts'
import { openTmuxTerminal } from './tmux-terminal.ts'
import type { TerminalParts, TmuxTerminal } from './tmux-terminal.ts'

/** The programs that are known end when they are asked twice; a third time is for one that was busy. */
const quits = 3
const betweenQuitsMs = 500

interface Parts extends TerminalParts {
  markOf: (id: string) => string
  /** What does not take its arguments ends within this time, and its screen says why. */
  firstLookMs: number
}

/** Terminals by whose they are: the sessions that people have, each in the agent's own interface; and shells. */
export class SessionTerminals {
  readonly #parts: Parts
  readonly #open = new Map<string, TmuxTerminal>()
  readonly #opening = new Map<string, Promise<KeptTerminal>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get all(): KeptTerminal[] {
    return [...this.#open].map(describe)
  }

  has(sessionId: string): boolean {
    return this.#open.has(sessionId) || this.#opening.has(sessionId)
  }

  /** Opened once, however often it is asked for. `first` is done before anything is started. */
  open(sessionId: string, asked: TakeOver, first: () => Promise<void>): Promise<KeptTerminal> {
    const terminal = this.#open.get(sessionId)
    if (terminal) return Promise.resolve(describe([sessionId, terminal]))
    const opening =
      this.#opening.get(sessionId) ??
      first()
        .then(() => this.#start(sessionId, asked))
        .finally(() => this.#opening.delete(sessionId))
    this.#opening.set(sessionId, opening)
    return opening
  }

  /** How many look at this one; nobody at one that is not there. */
  async viewers(sessionId: string): Promise<number> {
    return (
      (await this.#open
        .get(sessionId)
        ?.viewers()
        .catch(() => 0)) ?? 0
    )
  }

  /** Asks it to quit as a person would, then ends it. False when something outlived SIGKILL. */
  async close(sessionId: string, graceMs: number): Promise<boolean> {
    const terminal = this.#open.get(sessionId)
    if (!terminal) return true
    const exited = terminal.exited.then(() => true)
    for (let asked = 0; asked < quits && graceMs > 0; asked += 1) {
      await terminal.press('C-c').catch(() => undefined)
      if (await Promise.race([exited, wait(betweenQuitsMs, false)])) break
    }
    const isDead = await terminal.end(graceMs)
    await terminal.gone
    this.#open.delete(sessionId)
    return isDead
  }

  async endAll(graceMs: number): Promise<void> {
    await Promise.allSettled(this.#opening.values())
    await Promise.all(
      [...this.#open].map(async ([sessionId, terminal]) => {
        await terminal.end(graceMs)
        await terminal.gone
        this.#open.delete(sessionId)
      }),
    )
  }

  async #start(sessionId: string, { program, argv, env, cwd }: TakeOver): Promise<KeptTerminal> {
    const mark = this.#parts.markOf(sessionId)
    this.#parts.noteMark(mark)
    const terminal = await openTmuxTerminal(this.#parts, { file: program, argv, env, cwd }, mark, {
      isRead: false,
    }).catch((error: unknown) => {
      throw error instanceof NotStarted ? new Refused('not_started', error.message) : error
    })
    const ended = await Promise.race([terminal.exited, wait(this.#parts.firstLookMs, undefined)])
    if (ended) {
      await terminal.end(0)
      await terminal.gone
      const why = lastWords(ended.screen) ?? ended.message
      throw new Refused('not_started', `${program} ended at once${why ? `: ${why}` : ''}`)
    }
    this.#open.set(sessionId, terminal)
    void terminal.exited.then(() => this.#forget(sessionId, terminal))
    return describe([sessionId, terminal])
  }

  /** It ended by itself: somebody quit, or its tmux was killed. */
  async #forget(sessionId: string, terminal: TmuxTerminal): Promise<void> {
    await terminal.end(0)
    await terminal.gone
    if (this.#open.get(sessionId) === terminal) this.#open.delete(sessionId)
  }
}

/** The last of them is tmux's own, which says that it is dead. */
const lastWords = (screen: string): string | undefined =>
  screen
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line && !line.startsWith('Pane is dead'))

const describe = ([sessionId, { name, attach, pid }]: [string, TmuxTerminal]): KeptTerminal => ({
  sessionId,
  tmuxSession: name,
  attach,
  pid,
})
