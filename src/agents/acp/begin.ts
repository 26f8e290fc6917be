import type { McpServer, SessionFacts } from '#contract/agent-event.ts'
import { OWN_SERVER } from '#contract/keeper-protocol.ts'
import type { TurnAsked } from '#contract/keeper.ts'
import { ownStdioServer, serversOf } from '../own-server.ts'
import { isObject, objectIn, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'
import { Gone, RpcError, authRequired } from './rpc-error.ts'

type Began = NonNullable<SessionFacts['began']>

export interface BegunSession {
  sessionId: string
  began: Began
  /** Why it is not the session that was asked for. */
  note: string | undefined
  /** Servers of tools that this agent cannot reach. */
  leftOut: string[]
  /** The answer that began it: modes, models, options. */
  told: JsonObject
}

interface Asked {
  turn: TurnAsked
  cwd: string
  capabilities: JsonObject
  request: (method: string, params: object) => Promise<unknown>
}

/** Resumes if it can, else loads, else begins anew and says so. Rejects with RpcError or Gone when not even that works. */
export async function beginSession({ turn, cwd, capabilities, request }: Asked): Promise<BegunSession> {
  const takesHttp = objectIn(capabilities, 'mcpCapabilities')['http'] === true
  const own = takesHttp ? undefined : ownStdioServer(turn)
  const servers = serversOf(turn).map((one) => (own && one.name === OWN_SERVER ? own : one))
  const [taken, left] = partition(servers, ({ type }) => type === 'stdio' || takesHttp)
  const leftOut = left.map(({ name }) => name)
  const common = { cwd, mcpServers: taken.map(serverOf) }
  const { sessionRef } = turn
  let note: string | undefined
  if (sessionRef !== null) {
    const ways = waysToGoOn(turn.fork, capabilities)
    for (const { method, began } of ways) {
      try {
        const told = asObject(await request(method, { sessionId: sessionRef, ...common }))
        // A copy has a name of its own; whoever goes on keeps the one it had.
        const sessionId = textIn(told, 'sessionId') ?? (began === 'forked' ? undefined : sessionRef)
        if (sessionId !== undefined) return { sessionId, began, note: undefined, leftOut, told }
        note = `The agent did not name the copy of session ${sessionRef}: a new one begins.`
      } catch (error) {
        if (error instanceof Gone || (error instanceof RpcError && error.code === authRequired)) throw error
        note = `The agent does not know session ${sessionRef} any more (${reason(error)}): a new one begins.`
      }
    }
    if (ways.length === 0)
      note = `This agent cannot ${turn.fork ? 'copy a session' : 'take up a session again'}: a new one begins.`
  } else if (turn.isContinued) note = 'Nobody knows what the agent called its session: a new one begins.'
  const told = asObject(await request('session/new', common))
  const sessionId = textIn(told, 'sessionId')
  if (sessionId === undefined) throw new RpcError({ message: 'it did not name the session it began' })
  return { sessionId, began: 'new', note, leftOut, told }
}

function waysToGoOn(isFork: boolean, capabilities: JsonObject): { method: string; began: Began }[] {
  const offered = objectIn(capabilities, 'sessionCapabilities')
  if (isFork) return offered['fork'] ? [{ method: 'session/fork', began: 'forked' }] : []
  return [
    ...(offered['resume'] ? [{ method: 'session/resume', began: 'resumed' } as const] : []),
    ...(capabilities['loadSession'] === true ? [{ method: 'session/load', began: 'loaded' } as const] : []),
  ]
}

function serverOf(server: McpServer): object {
  const pairs = (record: Record<string, string>) =>
    Object.entries(record).map(([name, value]) => ({ name, value }))
  if (server.type === 'http')
    return { type: 'http', name: server.name, url: server.url, headers: pairs(server.headers) }
  return { name: server.name, command: server.command, args: server.args, env: pairs(server.env) }
}

const partition = <T>(list: T[], isFirst: (one: T) => boolean): [T[], T[]] => [
  list.filter(isFirst),
  list.filter((one) => !isFirst(one)),
]

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})
const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
