import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Checked, FromChecker, ToChecker } from './messages.ts'
import { Places } from './places.ts'
import { usageOf } from './usage.ts'

export interface CheckLimits {
  /** It sleeps after so long without work: no process, no memory. */
  idleMs: number
  /** For one check. Where the processor's time cannot be told, the clock has to do. */
  cpuMs: number
  wallMs: number
  memoryBytes: number
}

/** It takes for ever, fills the memory, or makes the checker fall over. The message is for whoever wrote it. */
export class CheckEnded extends Error {}

export interface Asked {
  id: number
  owner: string
  code: string
  tools: string | undefined
  isDeclarations: boolean
  /** How often its process died under it. */
  deaths: number
  onDone: (checked: Checked) => void
  onFailed: (error: Error) => void
}

interface Ears {
  /** It can take the next one. */
  onFree(): void
  /** Its process died under it, maybe by what others did: it is to be checked once more. */
  onAgain(asked: Asked): void
  /** May it have so much, beside the others? */
  mayHave(memoryBytes: number): boolean
}

const program = fileURLToPath(new URL('./process.ts', import.meta.url))
const lookMs = 50
/** Declarations that are kept warm: those of so many callers by turns. */
const mostWarm = 4
/** After so many short checks it is looked at what is kept for the next one; after a long one always. */
const looksEvery = 20
const shortMs = 20
/** A check that takes longer may take long, once its process has begun; which takes less than `startMs`. */
export const slowMs = 250
const startMs = 2_000

/** One of the processes that read code, and the native one under it. It is started when it is needed, and does one after the other. */
export class CheckProcess {
  readonly #limits: CheckLimits
  readonly #ears: Ears
  readonly #places = new Places(mostWarm)
  #child: ChildProcess | undefined
  #native: number | undefined
  /** When it was first heard of. */
  #readyAt: number | undefined
  /** `cpuBefore` is what was used when it was first looked at: most are over by then. */
  #current: { asked: Asked; since: number; cpuBefore?: number } | undefined
  #ended: CheckEnded | undefined
  #watch: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(limits: CheckLimits, ears: Ears) {
    this.#limits = limits
    this.#ears = ears
  }

  get isAwake(): boolean {
    return this.#child !== undefined
  }

  /** Whose code it reads. */
  get owner(): string | undefined {
    return this.#current?.asked.owner
  }

  get isSlow(): boolean {
    if (!this.#current) return false
    const { since } = this.#current
    return performance.now() - Math.max(since, this.#readyAt ?? since + startMs) > slowMs
  }

  get memoryBytes(): number {
    return this.#child ? this.#usage().memoryBytes : 0
  }

  begin(asked: Asked): void {
    clearTimeout(this.#idle)
    const child = (this.#child ??= this.#open())
    this.#current = { asked, since: performance.now() }
    this.#watch ??= setInterval(() => this.#look(), lookMs).unref()
    child.ref()
    child.channel?.ref()
    child.send(this.#messageOf(asked), () => {})
  }

  /** Whoever waits for it hears why. */
  async close(why: string): Promise<void> {
    this.#current?.asked.onFailed(new Error(why))
    await this.#sleep()
  }

  #messageOf({ id, code, tools, isDeclarations }: Asked): ToChecker {
    if (tools === undefined) return { id, code, place: undefined }
    const { place, isNew } = this.#places.of(tools)
    return { id, code, place, isDeclarations, ...(isNew && { tools }) }
  }

  #open(): ChildProcess {
    this.#places.clear()
    this.#readyAt = undefined
    const child = fork(program, {
      // It gets nothing of ours. The limit only makes the native process collect in time.
      // Every check makes a program anew: collecting less often halves what that costs. It is one file, for one core.
      env: { GOMEMLIMIT: String(Math.round(this.#limits.memoryBytes / 2)), GOGC: '400', GOMAXPROCS: '1' },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.on('message', (message: FromChecker) => this.#hear(child, message))
    child.on('error', () => this.#lost(child, null))
    child.on('exit', (_, signal) => this.#lost(child, signal))
    return child
  }

  #hear(child: ChildProcess, message: FromChecker): void {
    if (child !== this.#child) return
    this.#readyAt ??= performance.now()
    if (message.type === 'native') {
      this.#native = message.pid
      return
    }
    if (this.#current?.asked.id !== message.id) return
    if (message.type === 'failed') this.#native = undefined
    const isLookedAt = message.id % looksEvery === 0 || performance.now() - this.#current.since > shortMs
    const asked = this.#finish()
    if (!asked) return
    if (message.type === 'checked') asked.onDone(message.checked)
    else this.#died(asked, 'Its types cannot be checked: the type checker gave up on them. Make them simpler')
    // What it keeps for the next check may not grow for ever.
    if (isLookedAt && this.memoryBytes > this.#limits.memoryBytes / 2) void this.#sleep()
    this.#ears.onFree()
  }

  #finish(): Asked | undefined {
    const asked = this.#current?.asked
    clearInterval(this.#watch)
    this.#watch = undefined
    this.#current = undefined
    this.#child?.unref()
    this.#child?.channel?.unref()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#sleep(), this.#limits.idleMs).unref()
    return asked
  }

  /** A process can also die by what others do: once more, and it is the code. */
  #died(asked: Asked, message: string): void {
    asked.deaths += 1
    const ended = this.#ended
    this.#ended = undefined
    if (ended) asked.onFailed(ended)
    else if (asked.deaths > 1) asked.onFailed(new CheckEnded(message))
    else this.#ears.onAgain(asked)
  }

  #lost(child: ChildProcess, signal: string | null): void {
    if (child !== this.#child) return
    this.#child = undefined
    this.#kill()
    const asked = this.#finish()
    if (asked)
      this.#died(
        asked,
        signal === 'SIGSEGV' || signal === 'SIGABRT' || signal === 'SIGBUS'
          ? 'It is nested too deeply to be read. Write it in smaller pieces'
          : 'It cannot be checked: the type checker gave up on it. Make it simpler',
      )
    this.#ears.onFree()
  }

  #look(): void {
    const { cpuMs, wallMs } = this.#limits
    const current = this.#current
    if (!current || this.#ended) return
    const usage = this.#usage()
    current.cpuBefore ??= usage.cpuMs
    if (!this.#ears.mayHave(usage.memoryBytes))
      this.#ended = new CheckEnded('It takes more memory to check than it may. Make its types simpler')
    else if (performance.now() - current.since > wallMs || usage.cpuMs - current.cpuBefore > cpuMs)
      this.#ended = new CheckEnded('It takes too long to check. Make its types simpler')
    if (this.#ended) this.#kill()
  }

  #usage(): { cpuMs: number; memoryBytes: number } {
    const [own, native] = [this.#child?.pid, this.#native].map((pid) => (pid ? usageOf(pid) : undefined))
    return {
      cpuMs: (own?.cpuMs ?? 0) + (native?.cpuMs ?? 0),
      memoryBytes: (own?.memoryBytes ?? 0) + (native?.memoryBytes ?? 0),
    }
  }

  /** Both of them: one stands still until the other answers. */
  #kill(): void {
    const native = this.#native
    this.#native = undefined
    this.#child?.kill('SIGKILL')
    if (native === undefined) return
    try {
      process.kill(native, 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }

  async #sleep(): Promise<void> {
    const child = this.#child
    this.#kill()
    this.#child = undefined
    this.#finish()
    clearTimeout(this.#idle)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    await new Promise((resolve) => child.once('exit', resolve))
  }
}
