import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { KEEPER_PROTOCOL } from '#contract/keeper-protocol.ts'
import type {
  AskApp,
  AskShell,
  Greeting,
  KeeperCommand,
  Launch,
  OpenWorkspace,
  Shutdown,
  TakeOver,
  ToolCall,
} from '#contract/keeper.ts'
import { callTool, streamCommand } from './call-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import type { Keeper } from './keeper.ts'
import { streamProgress } from './progress.ts'
import { Refused } from './refused.ts'

export interface Doorplate {
  keeper: Keeper
  keeperId: string
  identity: ProcessIdentity
  /** Ends everything; resolves once that is proven. */
  shutDown(how: Shutdown): Promise<void>
  /** Called once the answer to a shutdown is on its way. */
  leave(): void
  log: (line: string) => void
}

const longestBody = 64 << 20

/** Answers one request. Never rejects. */
export async function answer(
  door: Doorplate,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await route(door, request, response)
  } catch (error) {
    const refused = error instanceof Refused ? error : undefined
    if (!refused && !(error instanceof ToolRefused))
      door.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
    if (response.headersSent) return void response.destroy()
    const message = error instanceof Error ? error.message : String(error)
    if (error instanceof ToolRefused)
      return send(response, 422, { error: { code: error.code, message, context: error.context } })
    send(response, refused?.status ?? 500, { error: { code: refused?.code ?? 'internal', message } })
  }
}

async function route(door: Doorplate, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { keeper } = door
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://keeper')
  const [, first = '', id = '', action = ''] = pathname.split('/')
  const what = `${request.method} /${[first, id && ':id', action].filter(Boolean).join('/')}`
  switch (what) {
    case 'GET /':
      return send(response, 200, greet(door))
    case 'POST /executions':
      return send(response, 200, keeper.launch(await readJson<Launch>(request)))
    case 'GET /executions/:id/progress':
      return streamProgress(keeper, id, Number(searchParams.get('epoch') ?? Number.NaN), response)
    case 'POST /executions/:id/commands': {
      const command = await readJson<KeeperCommand>(request)
      return send(response, 200, await keeper.execution(id, command.epoch).command(command))
    }
    case 'POST /executions/:id/release':
      keeper.release(id, (await readJson<{ epoch: number }>(request)).epoch)
      return send(response, 200, {})
    case 'POST /sessions/:id/take-over':
      return send(response, 200, await keeper.takeOver(id, await readJson<TakeOver>(request)))
    case 'POST /sessions/:id/hand-back':
      await keeper.handBack(id)
      return send(response, 200, {})
    case 'POST /sessions/:id/shell':
      return send(response, 200, await keeper.openShell(id, await readJson<AskShell>(request)))
    case 'POST /sessions/:id/end-shell':
      await keeper.endShell(id)
      return send(response, 200, {})
    case 'POST /workspace':
      return send(response, 200, await keeper.inside(await readJson<OpenWorkspace>(request)).health())
    case 'POST /app': {
      const { input, ...where } = await readJson<AskApp>(request)
      return send(response, 200, await keeper.inside(where).app(input.action))
    }
    case 'POST /tools/:id':
      return send(response, 200, {
        data: await callTool(keeper, id, await readJson<ToolCall>(request), response),
      })
    case 'POST /tools/:id/stream':
      return streamCommand(keeper, await readJson<ToolCall>(request), response)
    case 'POST /shutdown':
      await shutDown(door, await readJson<Shutdown>(request))
      if (response.destroyed) return door.leave() // whoever asked did not wait
      response.once('close', () => door.leave())
      return send(response, 200, {})
    default:
      throw new Refused('not_found', `There is nothing at ${request.method} ${pathname}.`)
  }
}

async function shutDown({ keeper, ...door }: Doorplate, how: Shutdown): Promise<void> {
  const { executions, terminals, agents, shells, walls } = keeper
  // Agents between two turns are at rest: their sessions can be resumed. And a shell holds nobody up who wants the workspace gone.
  const isBusy = executions.length + terminals.length > 0 || walls.inside > agents.length + shells.length
  if (how.unlessBusy && isBusy) throw new Refused('busy', 'This keeper has work to do.')
  await door.shutDown(how)
}

const greet = ({ keeper, keeperId, identity }: Doorplate): Greeting => ({
  protocol: KEEPER_PROTOCOL,
  keeperId,
  identity,
  workspaceId: keeper.workspaceId,
  isolation: keeper.isolation,
  executions: keeper.executions,
  agents: keeper.agents,
  terminals: keeper.terminals,
  shells: keeper.shells,
  usedAt: keeper.walls.usedAt,
  isOpen: keeper.walls.isOpen,
})

/** Its shape is not looked at: whoever reaches this socket is the worker, of this version or the one before. */
async function readJson<Shape>(request: IncomingMessage): Promise<Shape> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > longestBody) throw new Refused('too_large', 'That is more than 64 MB.')
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString())
  } catch {
    throw new Refused('bad_request', 'The body is not JSON.')
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(status, STATUS_CODES[status], {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}
