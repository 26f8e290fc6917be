/** What the pool sees of a thread, and tells it, while it is in the middle of a step and hears nothing. */
export class Beat {
  readonly shared: SharedArrayBuffer
  readonly #times: Float64Array
  readonly #flags: Int32Array

  constructor(shared = new SharedArrayBuffer(40)) {
    this.shared = shared
    this.#times = new Float64Array(shared, 0, 4)
    this.#flags = new Int32Array(shared, 32, 2)
  }

  /** When the step that is under way began, in milliseconds since 1970; 0 when none is. */
  get since(): number {
    return this.#times[0]!
  }

  /** The processor's time, in milliseconds of that thread, at which its run has used up all that it may. */
  get cpuUntil(): number {
    return this.#times[1]!
  }

  /** What its run has used, as far as it was seen. */
  get used(): { cpuMs: number; memoryBytes: number } {
    return { cpuMs: this.#times[2]!, memoryBytes: this.#times[3]! }
  }

  see(cpuMs: number, memoryBytes: number): void {
    this.#times[2] = cpuMs
    this.#times[3] = memoryBytes
  }

  begin(cpuUntil: number): void {
    this.#times[1] = cpuUntil
    this.#times[0] = performance.timeOrigin + performance.now()
  }

  end(): void {
    this.#times[0] = 0
  }

  get isStopped(): boolean {
    return Atomics.load(this.#flags, 0) !== 0
  }

  set isStopped(value: boolean) {
    Atomics.store(this.#flags, 0, value ? 1 : 0)
  }

  /** Its run is the only one: nobody else needs the processor that it keeps for a moment. */
  get isAlone(): boolean {
    return Atomics.load(this.#flags, 1) !== 0
  }

  set isAlone(value: boolean) {
    Atomics.store(this.#flags, 1, value ? 1 : 0)
  }
}
