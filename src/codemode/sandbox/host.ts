import type { Memory } from './memory.ts'

/** What the inside can ask the outside for, in the terms of the machine. */
export interface Host {
  /** Nanoseconds since 1970. */
  now(): bigint
  random(bytes: Uint8Array): void
  /** Other than zero ends what runs. */
  interrupt(): number
  /** One of the three functions of the guest: its name, and the values it was given. Answers with a value, or nothing. */
  call(name: number, values: readonly number[]): number | undefined
  /** A promise was rejected that nobody awaits; or one is awaited after all. Both values are ours, to be freed. */
  rejected(promise: number, reason: number, isHandled: number): void
}

/** None of the functions takes more. */
const mostValues = 4

/** No such thing: there are no files inside, and no standard output. */
const notSupported = () => 52

/** The imports of quickjs.wasm. */
export function hostFor(host: Host, memory: () => Memory): WebAssembly.Imports {
  return {
    env: {
      host_get_timezone_offset: () => 0,
      host_interrupt: () => host.interrupt(),
      host_promise_rejection: (promise: number, reason: number, isHandled: number) =>
        host.rejected(promise, reason, isHandled),
      host_module_normalize: () => 0,
      host_module_load: () => 0,
      host_call: (name: number, _length: number, _this: number, count: number, given: number) => {
        const { view, bytes } = memory()
        const length = Math.min(count, mostValues)
        const values = Array.from({ length }, (_, index) => view.getUint32(given + index * 4, true))
        return host.call(bytes[name]!, values)
      },
    },
    wasi_snapshot_preview1: {
      clock_time_get: (_clock: number, _precision: bigint, at: number) => {
        memory().view.setBigUint64(at, host.now(), true)
        return 0
      },
      fd_close: notSupported,
      fd_fdstat_get: notSupported,
      fd_seek: notSupported,
      fd_write: notSupported,
      random_get: (at: number, length: number) => {
        host.random(memory().bytes.subarray(at, at + length))
        return 0
      },
    },
  }
}
