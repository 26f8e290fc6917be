import type { Logger } from 'pino'
import type { Principal } from '#contract/access.ts'
import type { Caller, InputRequest, InputResponse, Registry } from '#tools/port.ts'

export interface McpEndpointNeeds {
  registry: Registry
  /** Asked for every request: what is live in an agent's session changes. May throw a Problem. */
  callerOf(principal: Principal): Caller | Promise<Caller>
  log: Logger
  version: string
  /** Asks somebody else what a client cannot be asked. Rejects, or is missing: nobody is there. */
  askInstead?(
    caller: Caller,
    requests: Record<string, InputRequest>,
    signal: AbortSignal,
  ): Promise<Record<string, InputResponse>>
}

/** `/mcp` and `/mcp/raw/:source`, for clients of both eras. Who asks has been found out before. */
export interface McpEndpoint {
  fetch(request: Request, principal: Principal): Promise<Response>
  close(): Promise<void>
}

export function openMcpEndpoint(_needs: McpEndpointNeeds): McpEndpoint {
  throw new Error('not there yet')
}
