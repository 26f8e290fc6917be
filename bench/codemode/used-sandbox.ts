import { readFileSync } from 'node:fs'
import { makeImage } from '#codemode/sandbox/image.ts'
import { Vm } from '#codemode/sandbox/vm.ts'
import { programs } from './programs.ts'

const limits = {
  cpuMs: 10_000,
  memoryBytes: 64 * 1024 ** 2,
  resultBytes: 1024 ** 2,
  logBytes: 1024 ** 2,
  calls: 100,
}
const setting = { seed: [1, 2, 3, 4], context: {} }

/** What a thread of the pool does between two runs: its sandbox, which has run code, is made as new. */
export class UsedSandbox {
  readonly #vm: Vm
  #turn = 0

  constructor() {
    const wasm = new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm'))
    const image = makeImage(readFileSync(wasm), limits.memoryBytes)
    this.#vm = new Vm(image, new WebAssembly.Module(image.wasm))
  }

  /** Milliseconds. What ran before is not counted. */
  renewed(): number {
    this.#use()
    const since = performance.now()
    const isAsNew = this.#vm.reset()
    const took = performance.now() - since
    if (!isAsNew || this.#vm.differsFromImage()) throw new Error('The sandbox is not as new')
    return took
  }

  #use(): void {
    const { code, expected } = programs.tools('mcp.bench.echo', (this.#turn += 1))
    const asked: { call: number; given: string }[] = []
    const ended: string[] = []
    const time = {
      wallUntil: performance.now() + limits.cpuMs,
      clock: 0n,
      isExtendable: false,
      isStopped: () => false,
    }
    this.#vm.begin(`(async () => {${code}})`, setting, limits, time, {
      onCall: (call, _kind, _name, given) => void asked.push({ call, given }),
      onLog: () => undefined,
      onLate: () => undefined,
      onEnd: (ending) => void ended.push(ending.how === 'returned' ? ending.text : ending.how),
    })
    for (let next = asked.shift(); next; next = asked.shift())
      this.#vm.settle(next.call, true, JSON.stringify(JSON.parse(next.given)[0]))
    if (ended[0] !== JSON.stringify(expected)) throw new Error(`A wrong result: ${ended[0]}`)
  }
}
