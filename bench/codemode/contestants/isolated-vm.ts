// isolated-vm: for each run an isolate of its own and a context in it, made and disposed of. A tool is a reference to a function
// of ours that is applied asynchronously, and JSON goes both ways, as its documentation has it.
import { echo, enter } from '../contest.ts'

interface Isolate {
  createContext(): Promise<Context>
  dispose(): void
}

interface Context {
  evalClosure(code: string, given: unknown[], options: object): Promise<string>
}

interface IsolatedVm {
  Isolate: new (options: { memoryLimit: number }) => Isolate
  Reference: new (value: unknown) => object
}

await enter(async () => {
  const { default: ivm } = (await import(process.argv[2]!)) as { default: IsolatedVm }
  const bridge = async (given: string) => JSON.stringify(await echo(JSON.parse(given)))
  return {
    tool: 'tool',
    async run(code) {
      const isolate = new ivm.Isolate({ memoryLimit: 64 })
      try {
        const context = await isolate.createContext()
        const whole = `const tool = async (given) =>
          JSON.parse(await $0.apply(undefined, [JSON.stringify(given)], { result: { promise: true } }))
        return (async () => { ${code} })().then((result) => JSON.stringify(result))`
        const text = await context.evalClosure(whole, [new ivm.Reference(bridge)], {
          result: { promise: true },
        })
        return JSON.parse(text)
      } finally {
        isolate.dispose()
      }
    },
    async allocate() {
      const since = performance.now()
      const isolate = new ivm.Isolate({ memoryLimit: 64 })
      await isolate.createContext()
      const took = performance.now() - since
      isolate.dispose()
      return took
    },
    resident: () => process.memoryUsage.rss(),
  }
})
