import { createHash } from 'node:crypto'
import { guest } from './guest.ts'
import { hostFor } from './host.ts'
import type { Host } from './host.ts'
import { Memory } from './memory.ts'
import { withMemoryLimit } from './wasm.ts'
import type { Exports } from './wasm.ts'

/** The memory of a QuickJS that has done everything but run user code. Every run begins with a copy of it. */
export interface Image {
  /** Of wasm and memory together: what was frozen over one image thaws over the same one alone. */
  hash: string
  wasm: Uint8Array<ArrayBuffer>
  memory: Uint8Array<SharedArrayBuffer>
  /** The pages of it that are not empty, as runs of [from, to). */
  filled: readonly (readonly [from: number, to: number])[]
  stackPointer: number
  /** Where in it things are that we need. */
  places: Places
}

export interface Places {
  undefined: number
  scratch: number
  begin: number
  settle: number
  /** Not in those that were stored before there was one. */
  rejected?: number
  /** Bytes that QuickJS has taken, as it counts them itself. */
  taken: number
}

/** Small enough to hit what changed, large enough to be copied fast. */
export const granule = 4096
const fixedNow = 1_767_225_600_000n * 1_000_000n
const stackBytes = 256 * 1024
const probeBytes = 65_536
/** QuickJS counts less than it takes. It has to be the first to find that there is no more: it says so, in an error with a place. */
const spareShare = 8

/** The same wasm gives the same image, on every machine: the clock stands still, and what should be random is not. */
export function makeImage(wasm: Uint8Array, memoryBytes: number): Image {
  const limited = withMemoryLimit(wasm, memoryBytes + Math.ceil(memoryBytes / spareShare))
  const host: Host = {
    now: () => fixedNow,
    random: (bytes) => bytes.fill(7),
    interrupt: () => 0,
    call: () => undefined,
    rejected: () => undefined,
  }
  const exports = instantiate(new WebAssembly.Module(limited), host)
  const memory = new Memory(exports)
  exports.initialize()
  if (exports.qjs_init() !== 0) throw new Error('QuickJS does not start')
  const nothing = exports.qjs_get_undefined()
  const scratch = exports.wasm_malloc(64)
  const global = exports.qjs_get_global()
  for (const name of ['c', 'l', 'd']) {
    const text = memory.text(name)
    exports.qjs_set_prop_string(global, text.at, exports.qjs_new_host_function(text.at, 1, 0))
  }
  evaluate(exports, memory, guest)
  const taken = (name: string) => exports.qjs_get_prop_string(global, memory.text(name).at)
  const places = {
    undefined: nothing,
    scratch,
    begin: taken('__begin'),
    settle: taken('__settle'),
    rejected: taken('__rejected'),
    taken: takenAt(exports, memory),
  }
  evaluate(
    exports,
    memory,
    'delete globalThis.__begin; delete globalThis.__settle; delete globalThis.__rejected',
  )
  exports.qjs_set_max_stack_size(stackBytes)
  exports.qjs_set_interrupt_handler(1)
  exports.qjs_set_promise_rejection_handler(1)
  exports.qjs_run_gc()
  return imageOf(limited, memory.bytes, exports.stackPointer.value, places)
}

export function imageOf(
  wasm: Uint8Array<ArrayBuffer>,
  memory: Uint8Array,
  stackPointer: number,
  places: Places,
): Image {
  const shared = new Uint8Array(new SharedArrayBuffer(memory.length))
  shared.set(memory)
  const hash = createHash('sha256')
    .update(wasm)
    .update(memory)
    .update(JSON.stringify([stackPointer, places]))
    .digest('hex')
  return { hash, wasm, memory: shared, filled: filledIn(memory), stackPointer, places }
}

export function instantiate(module: WebAssembly.Module, host: Host): Exports {
  const link: { memory?: Memory } = {}
  const instance = new WebAssembly.Instance(
    module,
    hostFor(host, () => link.memory!),
  )
  const named = {
    stackPointer: instance.exports['__stack_pointer'],
    initialize: instance.exports['_initialize'],
  }
  const exports = Object.assign(Object.create(instance.exports) as Exports, named)
  link.memory = new Memory(exports)
  return exports
}

function evaluate(exports: Exports, memory: Memory, code: string): void {
  const source = memory.text(code)
  const result = exports.qjs_eval(source.at, source.length, memory.text('guest').at, 0)
  if (exports.qjs_is_exception(result))
    throw new Error(`The guest does not start: ${memory.read(exports.qjs_get_exception())}`)
}

/** QuickJS counts what it has taken near the beginning of its runtime: found by taking something. */
function takenAt(exports: Exports, memory: Memory): number {
  const runtime = exports.qjs_get_runtime_ptr()
  const words = () =>
    Array.from({ length: 64 }, (_, index) => memory.view.getUint32(runtime + index * 4, true))
  const before = words()
  evaluate(exports, memory, `globalThis.taken = new ArrayBuffer(${probeBytes})`)
  const after = words()
  evaluate(exports, memory, 'delete globalThis.taken')
  const grown = (index: number) => after[index]! - before[index]!
  const index = before.findIndex((_, at) => grown(at) >= probeBytes && grown(at) < probeBytes * 2)
  if (index === -1) throw new Error('What QuickJS takes cannot be found')
  return runtime + index * 4
}

function filledIn(memory: Uint8Array): [number, number][] {
  const runs: [number, number][] = []
  for (let at = 0; at < memory.length; at += granule) {
    if (memory.subarray(at, at + granule).every((byte) => byte === 0)) continue
    const last = runs.at(-1)
    if (last?.[1] === at) last[1] = at + granule
    else runs.push([at, at + granule])
  }
  return runs
}
