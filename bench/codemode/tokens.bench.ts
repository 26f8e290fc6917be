import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Signalbox } from '../../test/support/signalbox.ts'
import type { Figure } from '../figure.ts'
import { startProduct } from '../support/product.ts'
import { byCode, bySearch, directly, threeMost, writeFiles } from './counting-task.ts'
import type { Step } from './counting-task.ts'
import { installRealServers } from './real-servers.ts'
import type { RealServers } from './real-servers.ts'

const unit = 'tokens'
type Listing = 'all' | 'search' | 'code'
type Count = RealServers['tokensIn']

/** What a model has to read before and while it works with ten servers: with all tools listed, with a search, and with code. */
export default async function tokens(): Promise<Figure[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-bench-tokens-')))
  const { sources, tokensIn } = await installRealServers(folder)
  const product = await startProduct()
  try {
    for (const source of sources) await added(product, source)
    const clients = {
      all: await connect(product, 'all'),
      search: await connect(product, 'search'),
      code: await connect(product, 'code'),
    }
    const definitions = {
      all: await definitionsOf(clients.all, tokensIn),
      search: await definitionsOf(clients.search, tokensIn),
      code: await definitionsOf(clients.code, tokensIn),
    }
    const figures = [
      ...(await ofEach(product, clients.all, sources, tokensIn)),
      ...ofListings(definitions),
      ...(await ofTask(clients, definitions, folder, tokensIn)),
    ]
    for (const client of Object.values(clients)) await client.close()
    return figures
  } finally {
    await product.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function added(product: Signalbox, source: { name: string; config: object }): Promise<void> {
  const { body } = await product.call('POST', '/mcp/add', source)
  if (body.error) throw new Error(`${source.name} was not added: ${JSON.stringify(body.error)}`)
  for (const end = Date.now() + 60_000; Date.now() < end; await wait(100)) {
    const { body: health } = await product.call('GET', '/mcp/health')
    const servers = health.data.servers as { name: string; status: string; tools: number }[]
    if (servers.some(({ name, status, tools }) => name === source.name && status === 'healthy' && tools > 0))
      return
  }
  throw new Error(`${source.name} has not listed its tools within 60 s`)
}

async function connect({ url, token }: Signalbox, listing: Listing): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp?tools=${listing}`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
  return client
}

/** `text` is what clients hand on to a model of each tool; schemas of results, which TypeScript has too, are only in `whole`. */
async function toolsOf(client: Client): Promise<{ name: string; text: string; whole: string }[]> {
  const { tools } = await client.listTools()
  return tools.map(({ name, description, inputSchema, outputSchema }) => {
    const told = { name, description, input_schema: inputSchema }
    return {
      name,
      text: JSON.stringify(told),
      whole: JSON.stringify({ ...told, output_schema: outputSchema }),
    }
  })
}

async function definitionsOf(client: Client, tokensIn: Count): Promise<{ tools: number; tokens: number }> {
  const tools = await toolsOf(client)
  return { tools: tools.length, tokens: tools.reduce((sum, { text }) => sum + tokensIn(text), 0) }
}

/** Each server: its definitions as they are, and as the TypeScript that code is checked against, which cuts long words and deep types. */
async function ofEach(
  product: Signalbox,
  client: Client,
  sources: RealServers['sources'],
  tokensIn: Count,
): Promise<Figure[]> {
  const all = await toolsOf(client)
  const figures: Figure[] = []
  for (const { name } of sources) {
    const own = all.filter((tool) => tool.name.startsWith(`${name}__`))
    const api = await fetch(`${product.url}/api/v1/tools/api.d.ts?namespace=${name}`, {
      headers: { authorization: `Bearer ${product.token}` },
    })
    if (!api.ok) throw new Error(`The API of ${name} cannot be read: ${api.status}`)
    const sumOf = (form: 'text' | 'whole') => own.reduce((sum, tool) => sum + tokensIn(tool[form]), 0)
    figures.push({
      name: `${name}, ${own.length} tools: arguments and results as TypeScript`,
      ours: tokensIn(await api.text()),
      unit,
      peer: [
        { name: 'as JSON Schema', value: sumOf('whole') },
        { name: 'without results, as listed', value: sumOf('text') },
      ],
    })
  }
  return figures
}

const ofListings = ({ all, search, code }: Record<Listing, { tools: number; tokens: number }>): Figure[] => [
  {
    name: `what is listed of ${all.tools} tools: by code, ${code.tools} tools`,
    ours: code.tokens,
    unit,
    target: { most: 1_000 },
    peer: [
      { name: `to search in, ${search.tools} tools`, value: search.tokens },
      { name: 'all of them', value: all.tokens },
    ],
  },
]

/** A task from its beginning: definitions, what the model writes to call, and what it reads of the answers, each counted once. */
async function ofTask(
  clients: Record<Listing, Client>,
  definitions: Record<Listing, { tokens: number }>,
  folder: string,
  tokensIn: Count,
): Promise<Figure[]> {
  const files = join(folder, 'files')
  const todos = await writeFiles(files)
  const done = async (listing: Listing, steps: Step[]) => {
    const { traffic, last } = await play(clients[listing], steps, tokensIn)
    for (const { name } of threeMost(todos))
      if (!last.includes(name)) throw new Error(`${listing}: ${name} is missing in ${last}`)
    const graph = { tool: 'memory__delete_entities', args: { entityNames: [...todos.keys()] } }
    await play(clients.all, [graph], tokensIn)
    return { traffic, whole: traffic + definitions[listing].tokens }
  }
  const all = await done('all', directly(files, todos))
  const search = await done('search', bySearch(files, todos))
  const code = await done('code', byCode(files))
  const beside = (of: 'traffic' | 'whole') => [
    { name: 'found by search, called directly', value: search[of] },
    { name: 'all listed, called directly', value: all[of] },
  ]
  return [
    {
      name: `a task over ${todos.size} files, by code: calls and answers`,
      ours: code.traffic,
      unit,
      peer: beside('traffic'),
    },
    { name: '  with the definitions', ours: code.whole, unit, peer: beside('whole') },
  ]
}

async function play(
  client: Client,
  steps: readonly Step[],
  tokensIn: Count,
): Promise<{ traffic: number; last: string }> {
  let traffic = 0
  let last = ''
  for (const { tool: name, args } of steps) {
    const { content, isError } = await client.callTool({ name, arguments: args })
    last = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    if (isError) throw new Error(`${name}: ${last}`)
    traffic += tokensIn(JSON.stringify({ name, arguments: args })) + tokensIn(last)
  }
  return { traffic, last }
}
