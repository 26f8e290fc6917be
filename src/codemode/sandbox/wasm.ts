/** What we use of what quickjs.wasm exports. Every number is an address, or a value that QuickJS holds for us. */
export interface Exports {
  memory: WebAssembly.Memory
  stackPointer: WebAssembly.Global
  initialize: () => void
  qjs_init: () => number
  qjs_get_undefined: () => number
  qjs_get_global: () => number
  qjs_new_host_function: (name: number, length: number, tag: number) => number
  qjs_set_prop_string: (object: number, name: number, value: number) => number
  qjs_get_prop_string: (object: number, name: number) => number
  qjs_eval: (code: number, length: number, file: number, flags: number) => number
  qjs_call: (work: number, self: number, count: number, given: number) => number
  qjs_new_string: (text: number, length: number) => number
  qjs_new_number: (value: number) => number
  qjs_get_float64: (value: number) => number
  qjs_get_string_len: (value: number, length: number) => number
  qjs_free_cstring: (text: number) => void
  qjs_free_value: (value: number) => void
  qjs_dup_value: (value: number) => number
  qjs_is_exception: (value: number) => number
  qjs_get_exception: () => number
  qjs_is_job_pending: () => number
  qjs_execute_pending_job: () => number
  qjs_set_memory_limit: (bytes: number) => void
  qjs_set_max_stack_size: (bytes: number) => void
  qjs_set_interrupt_handler: (enabled: number) => void
  qjs_set_promise_rejection_handler: (enabled: number) => void
  qjs_run_gc: () => void
  qjs_get_runtime_ptr: () => number
  wasm_malloc: (bytes: number) => number
  wasm_free: (address: number) => void
}

export const pageBytes = 65_536

/**
 * Gives the memory of a module a maximum that the engine itself holds it to: what QuickJS counts is not all that it takes. The
 * sections of the file are walked by their lengths; the one with the number 5 is the memory's.
 */
export function withMemoryLimit(wasm: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  let at = 8
  const next = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = wasm[at++]!
      value |= (byte & 0x7f) << shift
      if ((byte & 0x80) === 0) return value >>> 0
    }
  }
  while (at < wasm.length) {
    const start = at
    const section = wasm[at++]!
    const length = next()
    const end = at + length
    if (section === 5) {
      next() // how many: one
      next() // flags
      const body = [1, 1, ...encoded(next()), ...encoded(Math.ceil(bytes / pageBytes))]
      return joined([
        wasm.subarray(0, start),
        Uint8Array.from([5, ...encoded(body.length), ...body]),
        wasm.subarray(end),
      ])
    }
    at = end
  }
  throw new Error('The module has no memory of its own')
}

function encoded(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ;) {
    const low = rest & 0x7f
    rest >>>= 7
    if (rest === 0) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
