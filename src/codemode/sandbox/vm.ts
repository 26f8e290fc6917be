import { freezeMemory, thawMemory } from './frozen.ts'
import type { Frozen } from './frozen.ts'
import { instantiate } from './image.ts'
import type { Image } from './image.ts'
import { Memory, OutOfMemory, TooLong } from './memory.ts'
import { pageBytes } from './wasm.ts'
import type { Exports } from './wasm.ts'

export type CallKind = 'mcp' | 'network' | 'files' | 'timer'

/** What a run tells while it runs. Everything is text: nothing of the inside is an object out here. */
export interface RunEars {
  onCall(id: number, kind: CallKind, name: string, given: string): void
  onLog(level: string, text: string): void
  /** Once, and nothing after it. */
  onEnd(ending: Ending): void
}

export type Ending =
  | { how: 'returned'; text: string }
  | { how: 'threw'; error: GuestError }
  | { how: 'timeout'; of: 'wall' | 'cpu' }
  | { how: 'memory' }
  | { how: 'too-much'; what: 'result' | 'calls' | 'logs'; limit: number }
  /** The machine underneath gave up; the instance is of no use any more. */
  | { how: 'crashed'; message: string }

export interface GuestError {
  name: string
  message: string
  stack?: string
  code?: string
  kind?: string
  details?: unknown
  thrown?: boolean
}

export interface RunLimits {
  /** Milliseconds in the run itself, waiting not counted. */
  cpuMs: number
  memoryBytes: number
  resultBytes: number
  logBytes: number
  calls: number
}

export interface RunSetting {
  seed: readonly number[]
  context: unknown
}

export interface RunMeter {
  cpuMs: number
  calls: number
  logBytes: number
  memoryBytes: number
}

const callKinds: ReadonlySet<string> = new Set<CallKind>(['mcp', 'network', 'files', 'timer'])
const empty = Buffer.alloc(pageBytes)
const longestName = 1_000
const codes = { c: 99, l: 108 }

/** One QuickJS. It runs one thing at a time, and is as new after `reset`. */
export class Vm {
  readonly #image: Image
  readonly #exports: Exports
  readonly #memory: Memory
  #ears: RunEars | undefined
  #limits: RunLimits = { cpuMs: 0, memoryBytes: 0, resultBytes: 0, logBytes: 0, calls: 0 }
  #meter: RunMeter = { cpuMs: 0, calls: 0, logBytes: 0, memoryBytes: 0 }
  #sliceSince = 0
  #wallUntil = 0
  #clock: (() => bigint) | bigint = 0n
  #hasTimedOut: 'wall' | 'cpu' | undefined
  #isPoisoned = false

  constructor(image: Image, module: WebAssembly.Module) {
    this.#image = image
    this.#exports = instantiate(module, {
      now: () => (typeof this.#clock === 'bigint' ? this.#clock : this.#clock()),
      random: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
      interrupt: () => this.#interrupt(),
      call: (name, values) => this.#hostCall(name, values),
    })
    this.#memory = new Memory(this.#exports)
    this.#grow(image.memory.length)
    this.#load(false)
  }

  get meter(): Readonly<RunMeter> {
    return this.#meter
  }

  get isRunning(): boolean {
    return this.#ears !== undefined
  }

  /** `wallUntil` and the clock: nanoseconds that stand still, or a clock to read. */
  begin(code: string, setting: RunSetting, limits: RunLimits, time: RunTime, ears: RunEars): void {
    this.#meter = { cpuMs: 0, calls: 0, logBytes: 0, memoryBytes: 0 }
    this.#take(limits, time, ears)
    this.#slice(() => {
      const { qjs_eval, qjs_free_value, wasm_free } = this.#exports
      this.#exports.qjs_set_memory_limit(Math.max(limits.memoryBytes, this.#taken))
      const source = this.#memory.text(code)
      const file = this.#memory.text('code')
      const work = qjs_eval(source.at, source.length, file.at, 0)
      wasm_free(source.at)
      wasm_free(file.at)
      if (this.#isException(work)) return this.#failed()
      const given = this.#string(JSON.stringify(setting))
      const result = this.#call(this.#image.places.begin, [work, given])
      qjs_free_value(given)
      qjs_free_value(work)
      if (this.#isException(result)) return this.#failed()
    })
  }

  /** The outcome of a call: JSON of what it gave, or of an error. */
  settle(id: number, isFine: boolean, text: string): void {
    if (!this.#ears) return
    this.#slice(() => {
      const { qjs_new_number, qjs_free_value } = this.#exports
      const values = [qjs_new_number(id), qjs_new_number(isFine ? 1 : 0), this.#string(text)]
      const result = this.#call(this.#image.places.settle, values)
      for (const value of values) qjs_free_value(value)
      if (this.#isException(result)) this.#failed()
    })
  }

  /** Ends what runs, from outside: its time is over, or nobody wants it any more. */
  end(ending: Ending): void {
    this.#end(ending)
  }

  /** Takes the run out, between two of its steps. The instance is free then. */
  freeze(): Frozen {
    const { __stack_pointer } = this.#exports
    const frozen = freezeMemory(this.#image, this.#memory.bytes, Number(__stack_pointer.value))
    this.#ears = undefined
    return frozen
  }

  thaw(frozen: Frozen, limits: RunLimits, meter: RunMeter, time: RunTime, ears: RunEars): void {
    this.#grow(frozen.size)
    thawMemory(this.#memory.bytes, frozen)
    this.#exports.__stack_pointer.value = frozen.stackPointer
    this.#meter = { ...meter }
    this.#take(limits, time, ears)
  }

  /** Makes it as new. False when it cannot be: another one is needed then. */
  reset(): boolean {
    this.#ears = undefined
    if (this.#isPoisoned || this.#memory.bytes.length !== this.#image.memory.length) return false
    this.#load(true)
    return true
  }

  /** For tests: as new means as the image, byte for byte. */
  differsFromImage(): boolean {
    return freezeMemory(this.#image, this.#memory.bytes, 0).at.length > 0
  }

  #take(limits: RunLimits, { wallUntil, clock }: RunTime, ears: RunEars): void {
    this.#limits = limits
    this.#wallUntil = wallUntil
    this.#clock = clock
    this.#hasTimedOut = undefined
    this.#ears = ears
  }

  #grow(bytes: number): void {
    const missing = bytes - this.#memory.bytes.length
    if (missing > 0) this.#exports.memory.grow(missing / pageBytes)
  }

  /** What is empty in the image is looked at before it is wiped: what nobody touched takes no memory of the machine. */
  #load(isUsed: boolean): void {
    const { memory, filled, stackPointer } = this.#image
    const { bytes } = this.#memory
    let at = 0
    for (const [from, to] of [...filled, [memory.length, memory.length] as const]) {
      for (let gap = at; isUsed && gap < from; gap += pageBytes) {
        const end = Math.min(from, gap + pageBytes)
        if (bytes.compare(empty, 0, end - gap, gap, end) !== 0) bytes.fill(0, gap, end)
      }
      bytes.set(memory.subarray(from, to), from)
      at = to
    }
    this.#exports.__stack_pointer.value = stackPointer
  }

  /** Everything that runs user code runs in here: it is metered, and what goes wrong ends the run. */
  #slice(work: () => void): void {
    this.#sliceSince = performance.now()
    try {
      work()
      this.#pump()
    } catch (error) {
      this.#isPoisoned = true
      if (this.#hasTimedOut) this.#end({ how: 'timeout', of: this.#hasTimedOut })
      else if (error instanceof OutOfMemory) this.#end({ how: 'memory' })
      else this.#end({ how: 'crashed', message: error instanceof Error ? error.message : String(error) })
    } finally {
      this.#measure()
      this.#sliceSince = 0
    }
  }

  /** What was used up to now, in the step that is under way. */
  #measure(): void {
    if (this.#sliceSince === 0) return
    const now = performance.now()
    this.#meter.cpuMs += now - this.#sliceSince
    this.#sliceSince = now
    this.#meter.memoryBytes = Math.max(this.#meter.memoryBytes, this.#taken)
  }

  #pump(): void {
    const { qjs_is_job_pending, qjs_execute_pending_job } = this.#exports
    for (let count = 1; this.#ears && qjs_is_job_pending(); count += 1) {
      if (qjs_execute_pending_job() < 0) return this.#failed()
      if (count % 256 === 0 && this.#interrupt() !== 0) return this.#failed()
    }
  }

  #interrupt(): number {
    const now = performance.now()
    if (now > this.#wallUntil) this.#hasTimedOut = 'wall'
    else if (this.#meter.cpuMs + now - this.#sliceSince > this.#limits.cpuMs) this.#hasTimedOut = 'cpu'
    this.#measure()
    return this.#hasTimedOut ? 1 : 0
  }

  get #taken(): number {
    return this.#memory.view.getUint32(this.#image.places.taken, true)
  }

  #isException = (value: number): boolean => this.#exports.qjs_is_exception(value) !== 0

  #failed(): void {
    if (this.#hasTimedOut) return this.#end({ how: 'timeout', of: this.#hasTimedOut })
    const value = this.#exports.qjs_get_exception()
    const message = this.#memory.read(value, this.#limits.resultBytes)
    this.#exports.qjs_free_value(value)
    this.#threw(parsedMessage(message))
  }

  #threw(error: GuestError): void {
    const isMemory = error.name === 'InternalError' && error.message === 'out of memory'
    this.#end(isMemory ? { how: 'memory' } : { how: 'threw', error })
  }

  #end(ending: Ending): void {
    const ears = this.#ears
    if (!ears) return
    this.#measure()
    this.#ears = undefined
    ears.onEnd(ending)
  }

  #string(text: string): number {
    const { at, length } = this.#memory.text(text)
    const value = this.#exports.qjs_new_string(at, length)
    this.#exports.wasm_free(at)
    return value
  }

  #call(work: number, values: readonly number[]): number {
    const given = this.#image.places.scratch
    const { view } = this.#memory
    for (const [index, value] of values.entries()) view.setUint32(given + index * 4, value, true)
    return this.#exports.qjs_call(work, this.#image.places.undefined, values.length, given)
  }

  /** The inside speaks. Whatever is wrong with what it says ends it. */
  #hostCall(name: number, values: readonly number[]): number {
    const { qjs_dup_value, qjs_get_float64 } = this.#exports
    const { undefined: nothing } = this.#image.places
    const [first = nothing, second = nothing, third = nothing, fourth = nothing] = values
    try {
      if (!this.#ears) return qjs_dup_value(nothing)
      if (name === codes.c) this.#asked(qjs_get_float64(first), second, third, fourth)
      else if (name === codes.l) this.#said(this.#memory.read(first, longestName), second)
      else this.#finished(qjs_get_float64(first) !== 0, second)
    } catch (error) {
      if (!(error instanceof TooLong)) throw error
      this.#end({ how: 'too-much', what: 'result', limit: this.#limits.resultBytes })
    }
    return qjs_dup_value(nothing)
  }

  #asked(id: number, kindAt: number, nameAt: number, givenAt: number): void {
    this.#meter.calls += 1
    if (this.#meter.calls > this.#limits.calls)
      return this.#end({ how: 'too-much', what: 'calls', limit: this.#limits.calls })
    const kind = this.#memory.read(kindAt, longestName)
    if (!callKinds.has(kind)) return
    const name = this.#memory.read(nameAt, longestName)
    this.#ears?.onCall(id, kind as CallKind, name, this.#memory.read(givenAt, this.#limits.resultBytes))
  }

  #said(level: string, textAt: number): void {
    const left = this.#limits.logBytes - this.#meter.logBytes
    if (left <= 0) return
    let text
    try {
      text = this.#memory.read(textAt, left)
    } catch (error) {
      if (!(error instanceof TooLong)) throw error
      this.#meter.logBytes = this.#limits.logBytes
      return this.#ears?.onLog(
        'warn',
        `A line of ${error.bytes} bytes and all after it are left out: ${this.#limits.logBytes} bytes are the most`,
      )
    }
    this.#meter.logBytes += Buffer.byteLength(text)
    this.#ears?.onLog(level, text)
  }

  #finished(isFine: boolean, textAt: number): void {
    const text = this.#memory.read(textAt, this.#limits.resultBytes)
    if (isFine) this.#end({ how: 'returned', text })
    else this.#threw(JSON.parse(text) as GuestError)
  }
}

export interface RunTime {
  /** Of performance.now(). */
  wallUntil: number
  clock: bigint | (() => bigint)
}

/** What QuickJS says of what was thrown: `Name: message`. */
function parsedMessage(text: string): GuestError {
  const [, name = 'Error', message = text] = /^(\w+): ([\s\S]*)$/.exec(text) ?? []
  return { name, message }
}
