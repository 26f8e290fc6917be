import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Signalbox } from '../../test/support/signalbox.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { startProduct } from '../support/product.ts'

const perSecond = 100
const seconds = 10
/** At the same rate: until then what runs is being compiled. */
const warmUpSeconds = 6
const frozenRuns = 40
const script = join(import.meta.dirname, 'lean-echo.ts')
/** Requests on one connection after the other: whoever asks shares the two cores with whom it asks. */
const agent = new Agent({ keepAlive: true })

type Product = Awaited<ReturnType<typeof startProduct>>

/** `POST execute` through the running product: web, worker, Postgres, and a server of MCP over HTTP. */
export default async function execute(): Promise<Figure[]> {
  const server = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [port] = await once(createInterface({ input: server.stdout }), 'line')
    const product = await startProduct()
    try {
      await addEcho(product, `http://127.0.0.1:${String(port)}/`)
      for (let count = 0; count < 100; count += 1) await one(product)
      await atRate(product, warmUpSeconds)
      return [...(await atRateFigures(product)), ...(await frozenFigures(product))]
    } finally {
      await product.stop()
    }
  } finally {
    server.kill()
  }
}

async function addEcho(product: Signalbox, url: string): Promise<void> {
  const added = await product.call('POST', '/mcp/add', {
    name: 'echo',
    config: { transport: 'http', url, rateLimit: 1_000_000 },
  })
  if (added.status >= 300) throw new Error(`The server was refused: ${JSON.stringify(added.body)}`)
  for (let tries = 0; tries < 100; tries += 1) {
    const { body } = await product.call('GET', '/mcp/health')
    if (body.data.summary.healthy >= 1) return
    await wait(100)
  }
  throw new Error('The server of tools is not healthy')
}

async function atRateFigures(product: Product): Promise<Figure[]> {
  const took = await atRate(product, seconds)
  return [
    {
      name: `POST execute, new code with one call, ${perSecond}/s for ${seconds} s, p95`,
      ours: percentile(took, 0.95),
      unit: 'ms',
      target: { most: 25 },
    },
    { name: '  the same, p50', ours: percentile(took, 0.5), unit: 'ms' },
  ]
}

/**
 * Requests come when they are due, whether those before were answered or not, and are measured from then on. One that is
 * refused because too many wait has taken for ever.
 */
async function atRate(product: Product, forSeconds: number): Promise<number[]> {
  const began = performance.now()
  const all: Promise<number>[] = []
  for (let count = 0; count < forSeconds * perSecond; count += 1) {
    const due = began + (count * 1000) / perSecond
    const left = due - performance.now()
    if (left > 0) await wait(left)
    const took = one(product).then((isRun) => (isRun ? performance.now() - due : Infinity))
    took.catch(() => undefined) // it is told below, when all are on their way
    all.push(took)
  }
  return Promise.all(all)
}

let turn = 0

/** New code each time: it is checked, calls one tool, and is in the audit before the answer. False when it was refused. */
async function one(product: Product): Promise<boolean> {
  const code = codeOf('echo')
  const { status, body } = await post(product, { code, capabilities: ['mcp:echo'] })
  if (status === 429) return false
  if (status !== 200) throw new Error(`It was not run: ${status} ${JSON.stringify(body)}`)
  holdResult(code, body.data)
  return true
}

async function post(
  { url, token }: Product,
  asked: object,
): Promise<{ status: number | undefined; body: { data: { result?: Result } } }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const asking = request(`${url}/api/v1/execute`, { method: 'POST', agent, headers })
  asking.end(JSON.stringify(asked))
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, body: JSON.parse(await text(answer)) }
}

const codeOf = (tool: string) => `const turn: number = ${(turn += 1)}
const said = await mcp.echo.${tool}({ text: \`turn \${turn}\` })
return { said, turn }`

interface Result {
  said?: string
  turn?: number
}

function holdResult(code: string, data: { result?: Result }): void {
  const { result } = data
  const isRight = result?.said === `turn ${result?.turn}` && code.includes(`= ${result.turn}\n`)
  if (!isRight) throw new Error(`A wrong result of ${code}: ${JSON.stringify(data)}`)
}

/** A tool that has to be asked about: until the run is in Postgres and its caller knows; and from the answer to the result. */
async function frozenFigures(product: Product): Promise<Figure[]> {
  const database = new pg.Client({ connectionString: product.databaseUrl })
  await database.connect()
  const frozen: number[] = []
  const thawed: number[] = []
  const bytes: number[] = []
  try {
    for (let count = -5; count < frozenRuns; count += 1) {
      const code = codeOf('erase')
      const since = performance.now()
      const asked = await product.call('POST', '/execute', { code, capabilities: ['mcp:echo'] })
      const away = performance.now()
      if (asked.status !== 202) throw new Error(`It does not wait: ${JSON.stringify(asked.body)}`)
      const { requestId, approvals } = asked.body.data
      const stored = await database.query<{ bytes: number }>(
        'select octet_length(memory) as bytes from code_runs where id = $1',
        [requestId],
      )
      const answered = performance.now()
      await product.call('POST', `/approvals/${approvals[0].id}`, { decision: 'granted' })
      holdResult(code, await endOf(product, requestId))
      if (count < 0) continue
      frozen.push(away - since)
      thawed.push(performance.now() - answered)
      bytes.push(stored.rows[0]!.bytes)
    }
  } finally {
    await database.end()
  }
  return [
    {
      name: 'new code that has to ask: until it is frozen in Postgres, p50',
      ours: percentile(frozen, 0.5),
      unit: 'ms',
    },
    { name: '  from the answer to its result, p50', ours: percentile(thawed, 0.5), unit: 'ms' },
    { name: '  a frozen run in Postgres, p50', ours: percentile(bytes, 0.5) / 1024, unit: 'KB' },
  ]
}

async function endOf(product: Product, requestId: string): Promise<{ result?: object }> {
  for (let tries = 0; tries < 5_000; tries += 1) {
    const { status, body } = await product.call('GET', `/execute/${requestId}`)
    if (status === 200) return body.data
    await wait(2)
  }
  throw new Error(`The run ${requestId} does not end`)
}
