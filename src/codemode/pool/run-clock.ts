/** The time of a run, which passes only while it goes. */
export class RunClock {
  readonly #alarms: number[]
  readonly #onAlarm: () => void
  #usedMs: number
  #since: number | undefined
  #timer: NodeJS.Timeout | undefined

  /** Tells when each of `alarms` has passed, in order. Those that have passed before are not told. */
  constructor(usedMs: number, alarms: readonly number[], onAlarm: () => void) {
    this.#usedMs = usedMs
    this.#alarms = alarms.filter((alarm) => alarm > usedMs)
    this.#onAlarm = onAlarm
  }

  get usedMs(): number {
    return this.#usedMs + (this.#since === undefined ? 0 : performance.now() - this.#since)
  }

  start(): void {
    if (this.#since !== undefined) return
    this.#since = performance.now()
    this.#arm()
  }

  stop(): void {
    this.#usedMs = this.usedMs
    this.#since = undefined
    clearTimeout(this.#timer)
  }

  #arm(): void {
    const [next] = this.#alarms
    if (next === undefined) return
    this.#timer = setTimeout(() => {
      this.#alarms.shift()
      this.#arm()
      this.#onAlarm()
    }, next - this.usedMs)
  }
}
