import type { AgentProcess } from './agent-process.ts'
import { listIn, objectIn, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'
import { quirksOf } from './quirks.ts'
import { Gone, RpcError, authRequired } from './rpc-error.ts'

/** One line: why an agent has begun no session, and what to do about it. `greeting` is its answer to `initialize`. */
export async function whyNotBegun(
  error: unknown,
  program: string,
  greeting: JsonObject,
  process: AgentProcess,
): Promise<string> {
  if (error instanceof Gone) {
    const said = await process.lastWords()
    return `${program} ended${howItEnded(process)} before it began a session${said ? `: ${said}` : '.'}`
  }
  if (!(error instanceof RpcError)) return `${program} began no session: ${String(error)}`
  const info = objectIn(greeting, 'agentInfo')
  const name = textIn(info, 'title') ?? textIn(info, 'name') ?? program
  if (error.code !== authRequired) return `${name} began no session: ${error.message}`
  const { login } = quirksOf(textIn(info, 'name'))
  return `${name} is not logged in (${error.message}): ${login ?? waysToLogIn(greeting)}.`
}

function howItEnded({ end }: AgentProcess): string {
  if (!end) return ''
  return end.signal ? ` by ${end.signal}` : ` with code ${end.exitCode}`
}

/** In the agent's own words. */
const waysToLogIn = (greeting: JsonObject): string =>
  listIn(greeting, 'authMethods')
    .flatMap((way) => textIn(way, 'description') ?? textIn(way, 'name') ?? [])
    .join(', or ') || 'log in with its own program'
