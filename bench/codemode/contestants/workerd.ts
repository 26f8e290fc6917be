// workerd: for each run an isolate of its own that its loader of dynamic workers makes, with no way out but the tool, which is
// an entrypoint of the worker that loads. It is asked over HTTP on loopback; what such a request takes that loads nothing is
// taken off, so that what is compared is the sandbox and not the way to it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { enter } from '../contest.ts'

const loader = `import { WorkerEntrypoint } from 'cloudflare:workers'
export class Tools extends WorkerEntrypoint {
  async echo(given) {
    if (given.takesMs !== undefined) await scheduler.wait(given.takesMs)
    return given
  }
}
export default {
  async fetch(request, env, ctx) {
    const code = await request.text()
    if (code === '') return Response.json(null)
    const worker = env.LOADER.load({
      compatibilityDate: '2026-01-01',
      mainModule: 'main.js',
      modules: { 'main.js': code },
      env: { TOOLS: ctx.exports.Tools({ props: {} }) },
      globalOutbound: null,
    })
    return Response.json(await worker.getEntrypoint().run())
  },
}
`
const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "loader.js", esModule = embed "loader.js")],
  compatibilityDate = "2026-01-01",
  bindings = [(name = "LOADER", workerLoader = ())],
);
`
const runner = (code: string) => `import { WorkerEntrypoint } from 'cloudflare:workers'
export default class extends WorkerEntrypoint {
  async run() {
    const tool = (given) => this.env.TOOLS.echo(given)
    ${code}
  }
}
`

await enter(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-workerd-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'loader.js'), loader)
  writeFileSync(join(folder, 'config.capnp'), config)
  const child = spawn(
    process.argv[2]!,
    ['serve', '--experimental', '--control-fd=3', join(folder, 'config.capnp')],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    },
  )
  process.once('exit', () => child.kill('SIGKILL'))
  const port = await portTold(child.stdio[3] as NodeJS.ReadableStream)
  const agent = new Agent({ keepAlive: true, maxSockets: 2_000 })
  const ask = async (body: string): Promise<unknown> => {
    const asked = request({ host: '127.0.0.1', port, method: 'POST', agent }).end(body)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    const given = await text(answer)
    if (answer.statusCode !== 200) throw new Error(given)
    return JSON.parse(given)
  }
  return {
    tool: 'tool',
    run: (code) => ask(runner(code)),
    empty: () => ask(''),
    resident: () => residentOf(child.pid!),
  }
})

const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

async function portTold(control: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { event: string; port?: number }
    if (event === 'listen' && port) return port
  }
  throw new Error('workerd does not start')
}
