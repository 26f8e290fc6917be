import { Budget } from './budget.ts'
import { cpuTime } from './cpu-time.ts'
import { isDeeperThan, mostDepth } from './depth.ts'
import { freezeMemory, thawMemory } from './frozen.ts'
import type { Frozen } from './frozen.ts'
import { guestError, spokenError } from './guest-error.ts'
import { instantiate } from './image.ts'
import type { Image } from './image.ts'
import { Memory, OutOfMemory, TooLong } from './memory.ts'
import { neverSettles, noMeter } from './run.ts'
import type {
  CallKind,
  Ending,
  GuestError,
  RunEars,
  RunLimits,
  RunMeter,
  RunSetting,
  RunTime,
} from './run.ts'
import { pageBytes } from './wasm.ts'
import type { Exports } from './wasm.ts'

const callKinds: ReadonlySet<string> = new Set<CallKind>(['mcp', 'network', 'files', 'timer'])
const empty = Buffer.alloc(pageBytes)
const nothing = new Uint8Array()
const longestName = 1_000
const codes = { c: 99, d: 100, l: 108 }
const noLimits: RunLimits = { cpuMs: 0, memoryBytes: 0, resultBytes: 0, logBytes: 0, calls: 0 }
const noTime: RunTime = { wallUntil: 0, clock: 0n, isExtendable: false, isStopped: () => false }

const compileOnly = 32
const tooDeep: Ending = { how: 'too-much', what: 'depth', limit: mostDepth }
const isNull = ({ thrown, message }: GuestError) => thrown === true && message === 'null'

/** What closes an arrow in brackets and goes on after it cannot be read in a function that stands alone. The lines are the same. */
const otherwiseWrapped = (code: string): string =>
  `async function code() ${code.slice(code.indexOf('{'), code.lastIndexOf('}') + 1)}`

/** One QuickJS. It runs one thing at a time, and is as new after `reset`. */
export class Vm {
  readonly #image: Image
  readonly #exports: Exports
  readonly #memory: Memory
  /** What of the image is not empty, out of the memory that threads share: from there a copy takes four times as long. */
  readonly #filled: readonly { from: number; part: Uint8Array }[]
  #ears: RunEars | undefined
  #budget = new Budget(noLimits, noMeter, [])
  #time = noTime
  /** Of the processor, in milliseconds of this thread, up to which it was measured; undefined between two steps. */
  #measured: number | undefined
  #isLate = false
  #stopped: 'wall' | 'cpu' | 'outside' | undefined
  #isPoisoned = false

  constructor(image: Image, module: WebAssembly.Module) {
    this.#image = image
    this.#exports = instantiate(module, {
      now: () => (typeof this.#time.clock === 'bigint' ? this.#time.clock : this.#time.clock()),
      // The guest makes its own random numbers, from its seed; nothing else in there may be left to chance.
      random: (bytes) => bytes.fill(7),
      interrupt: () => this.#interrupt(),
      call: (name, values) => this.#hostCall(name, values),
      rejected: (promise, reason, isHandled) => this.#rejected(promise, reason, isHandled),
    })
    this.#memory = new Memory(this.#exports)
    this.#filled = image.filled.map(([from, to]) => ({ from, part: image.memory.slice(from, to) }))
    this.#grow(image.memory.length)
    this.#load(false)
  }

  get meter(): Readonly<RunMeter> {
    return this.#budget.meter
  }

  /** Milliseconds of the processor that it may still use. */
  get cpuLeftMs(): number {
    return this.#cpuMs - this.#budget.meter.cpuMs
  }

  get isRunning(): boolean {
    return this.#ears !== undefined
  }

  begin(code: string, setting: RunSetting, limits: RunLimits, time: RunTime, ears: RunEars): void {
    this.#take(new Budget(limits, noMeter, []), time, ears)
    this.#slice(() => {
      const { qjs_free_value, qjs_set_memory_limit } = this.#exports
      qjs_set_memory_limit(Math.max(limits.memoryBytes, this.#taken))
      const { isUnread, ...inside } = setting
      if (isUnread) {
        const read = this.#evaluated(otherwiseWrapped(code), compileOnly)
        if (this.#isException(read)) return this.#failed(true)
        qjs_free_value(read)
      }
      const work = this.#evaluated(code, 0)
      if (this.#isException(work)) return this.#failed(true)
      const given = this.#string(JSON.stringify(inside))
      const result = this.#call(this.#image.places.begin, [work, given])
      qjs_free_value(given)
      qjs_free_value(work)
      if (this.#isException(result)) return this.#failed()
    })
  }

  /** The outcome of a call: JSON of what it gave, or of an error. One that nobody waits for is ignored. */
  settle(id: number, isFine: boolean, text: string): void {
    if (!this.#ears || !this.#budget.settle(id)) return
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
    const stackPointer = this.#exports.stackPointer.value
    const frozen = freezeMemory(this.#image, this.#memory.bytes, stackPointer, this.#budget.calls)
    this.#ears = undefined
    return frozen
  }

  thaw(frozen: Frozen, limits: RunLimits, meter: RunMeter, time: RunTime, ears: RunEars): void {
    if (frozen.image !== this.#image.hash) throw new Error('It was frozen over another image')
    this.#grow(frozen.size)
    thawMemory(this.#memory.bytes, frozen)
    this.#exports.stackPointer.value = frozen.stackPointer
    this.#take(new Budget(limits, meter, frozen.calls), time, ears)
  }

  /** Makes it as new. False when it cannot be: another one is needed then. */
  reset(): boolean {
    this.#ears = undefined
    if (this.#isPoisoned || this.#memory.bytes.length !== this.#image.memory.length) return false
    this.#load(true)
    return true
  }

  /** As new means as the image, byte for byte. */
  differsFromImage(): boolean {
    const isMoved = this.#exports.stackPointer.value !== this.#image.stackPointer
    return isMoved || freezeMemory(this.#image, this.#memory.bytes, 0, []).at.length > 0
  }

  #take(budget: Budget, time: RunTime, ears: RunEars): void {
    this.#budget = budget
    this.#time = time
    this.#isLate = false
    this.#stopped = undefined
    this.#ears = ears
  }

  #grow(bytes: number): void {
    const missing = bytes - this.#memory.bytes.length
    if (missing > 0) this.#exports.memory.grow(missing / pageBytes)
  }

  /** What is empty in the image is looked at before it is wiped: what nobody touched takes no memory of the machine. */
  #load(isUsed: boolean): void {
    const { memory, stackPointer } = this.#image
    const { bytes } = this.#memory
    let at = 0
    for (const { from, part } of [...this.#filled, { from: memory.length, part: nothing }]) {
      for (let gap = at; isUsed && gap < from; gap += pageBytes) {
        const end = Math.min(from, gap + pageBytes)
        if (bytes.compare(empty, 0, end - gap, gap, end) !== 0) bytes.fill(0, gap, end)
      }
      bytes.set(part, from)
      at = from + part.length
    }
    this.#exports.stackPointer.value = stackPointer
  }

  /** Everything that runs user code runs in here: it is metered, and what goes wrong ends the run. */
  #slice(work: () => void): void {
    this.#measured = cpuTime()
    try {
      work()
      this.#pump()
      if (!this.#budget.hasPending) this.#threw({ name: 'Error', message: neverSettles })
    } catch (error) {
      this.#isPoisoned = true
      if (this.#stopped) this.#end(this.#stop())
      else if (error instanceof OutOfMemory) this.#end({ how: 'memory' })
      else this.#end({ how: 'crashed', message: error instanceof Error ? error.message : String(error) })
    } finally {
      this.#measure()
      this.#measured = undefined
    }
  }

  /** What was used up to now, in the step that is under way. */
  #measure(): void {
    if (this.#measured === undefined) return
    const now = cpuTime()
    const { meter } = this.#budget
    meter.cpuMs += now - this.#measured
    meter.memoryBytes = Math.max(meter.memoryBytes, this.#taken)
    this.#measured = now
  }

  #pump(): void {
    const { qjs_is_job_pending, qjs_execute_pending_job } = this.#exports
    for (let count = 1; this.#ears && qjs_is_job_pending(); count += 1) {
      if (qjs_execute_pending_job() < 0 || this.#stopped) return this.#failed()
      if (count % 256 === 0 && this.#interrupt() !== 0) return this.#failed()
    }
  }

  get #cpuMs(): number {
    return this.#budget.limits.cpuMs * (this.#time.isExtendable ? 2 : 1)
  }

  #interrupt(): number {
    // It has ended: what it still does is for nobody.
    if (!this.#ears) return 1
    this.#measure()
    const { cpuMs } = this.#budget.meter
    if (this.#time.isStopped()) this.#stopped ??= 'outside'
    else if (performance.now() > this.#time.wallUntil) this.#stopped ??= 'wall'
    else if (cpuMs > this.#cpuMs) this.#stopped ??= 'cpu'
    else if (cpuMs > this.#budget.limits.cpuMs && !this.#isLate) {
      this.#isLate = true
      this.#ears?.onLate()
    }
    return this.#stopped ? 1 : 0
  }

  #stop(stack?: string): Ending {
    const where = stack ? { stack } : {}
    return this.#stopped === 'wall' || this.#stopped === 'cpu'
      ? { how: 'timeout', of: this.#stopped, ...where }
      : { how: 'cancelled', message: 'It was stopped', ...where }
  }

  get #taken(): number {
    return this.#memory.view.getUint32(this.#image.places.taken, true)
  }

  #isException = (value: number): boolean => this.#exports.qjs_is_exception(value) !== 0

  #failed(isUnread = false): void {
    const value = this.#exports.qjs_get_exception()
    const stack = isUnread || this.#stopped ? this.#stackOf(value) : ''
    if (this.#stopped) return this.#end(this.#stop(stack))
    const message = this.#memory.read(value, this.#budget.limits.resultBytes)
    this.#exports.qjs_free_value(value)
    this.#threw({ ...spokenError(message), ...(isUnread && { stack, isUnread }) })
  }

  #stackOf(value: number): string {
    const name = this.#memory.text('stack')
    const stack = this.#exports.qjs_get_prop_string(value, name.at)
    const text = this.#isException(stack) ? '' : this.#memory.read(stack, this.#budget.limits.resultBytes)
    this.#exports.wasm_free(name.at)
    this.#exports.qjs_free_value(stack)
    return text
  }

  #threw(error: GuestError): void {
    const isMemory = error.name === 'InternalError' && error.message === 'out of memory'
    if (isMemory || (isNull(error) && this.#isFull))
      this.#end({ how: 'memory', ...(error.stack && { stack: error.stack }) })
    else this.#end({ how: 'threw', error })
  }

  /** The memory never shrinks: it was full once. There may have been no room for the error that says so. */
  get #isFull(): boolean {
    const { length } = this.#memory.bytes
    return length > this.#image.memory.length && length > this.#budget.limits.memoryBytes * 0.9
  }

  #end(ending: Ending): void {
    const ears = this.#ears
    if (!ears) return
    this.#measure()
    const { limits, meter } = this.#budget
    if (ending.how === 'memory') meter.memoryBytes = Math.max(meter.memoryBytes, limits.memoryBytes)
    this.#ears = undefined
    ears.onEnd(ending)
  }

  #evaluated(code: string, flags: number): number {
    const { qjs_eval, wasm_free } = this.#exports
    const source = this.#memory.text(code)
    const file = this.#memory.text('code')
    const value = qjs_eval(source.at, source.length, file.at, flags)
    wasm_free(source.at)
    wasm_free(file.at)
    return value
  }

  /** The guest keeps it, with its promise: also while the run is frozen. */
  #rejected(promise: number, reason: number, isHandled: number): void {
    const { qjs_new_number, qjs_free_value, qjs_get_exception } = this.#exports
    const { rejected } = this.#image.places
    if (rejected !== undefined && this.#ears) {
      const handled = qjs_new_number(isHandled)
      const result = this.#call(rejected, [promise, reason, handled])
      if (this.#isException(result)) qjs_free_value(qjs_get_exception())
      for (const value of [result, handled]) qjs_free_value(value)
    }
    for (const value of [promise, reason]) qjs_free_value(value)
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
      this.#end({ how: 'too-much', what: 'result', limit: this.#budget.limits.resultBytes })
    }
    // Out of it at once, whatever it would still do.
    if (!this.#ears && name !== codes.d) throw new Error('It has ended')
    return qjs_dup_value(nothing)
  }

  #asked(id: number, kindAt: number, nameAt: number, givenAt: number): void {
    const { resultBytes } = this.#budget.limits
    const kind = this.#memory.read(kindAt, longestName)
    if (!callKinds.has(kind)) return
    const name = this.#memory.read(nameAt, longestName)
    const given = this.#memory.read(givenAt, resultBytes)
    const tooMuch = this.#budget.ask(id, given.length)
    if (tooMuch) this.#end({ how: 'too-much', ...tooMuch })
    // The list of what was given is one level more.
    else if (isDeeperThan(given, mostDepth + 1)) this.#end(tooDeep)
    else this.#ears?.onCall(id, kind as CallKind, name, given)
  }

  #said(level: string, textAt: number): void {
    const left = this.#budget.logBytesLeft
    if (left <= 0) return
    const { logBytes } = this.#budget.limits
    try {
      const text = this.#memory.read(textAt, left)
      this.#budget.say(Buffer.byteLength(text))
      this.#ears?.onLog(level, text)
      if (this.#budget.logBytesLeft <= 0)
        this.#ears?.onLog('warn', `The lines after this are left out: ${logBytes} bytes are the most`)
    } catch (error) {
      if (!(error instanceof TooLong)) throw error
      this.#budget.say(left)
      const line = `A line of ${error.bytes} bytes and all after it are left out: ${logBytes} bytes are the most`
      this.#ears?.onLog('warn', line)
    }
  }

  #finished(isFine: boolean, textAt: number): void {
    const text = this.#memory.read(textAt, this.#budget.limits.resultBytes)
    const error = isFine ? undefined : guestError(text)
    if (this.#stopped) this.#end(this.#stop(error?.stack))
    else if (error) this.#threw(error)
    else this.#end(isDeeperThan(text, mostDepth) ? tooDeep : { how: 'returned', text })
  }
}
