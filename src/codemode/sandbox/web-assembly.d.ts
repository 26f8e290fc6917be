// What Node has of WebAssembly and its types do not tell; only what we use of it.
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: string
  }
  const Module: new (bytes: Uint8Array) => Module
  class Instance {
    constructor(module: Module, imports: Imports)
    readonly exports: Record<string, unknown>
  }
  interface Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  interface Global {
    value: number
  }
  type Imports = Record<string, Record<string, (...given: never[]) => unknown>>
}
