import type { ServerCapabilities } from '@modelcontextprotocol/server'
import type { ToolResult } from '#contract/tool.ts'
import type { CallHands, Caller } from '#tools/port.ts'

/** A tool as MCP lists it. */
export interface WireTool {
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema: Record<string, unknown>
  outputSchema?: Record<string, unknown> | undefined
  annotations?: Record<string, unknown> | undefined
}

export type Params = Record<string, unknown>

/** What one address of the endpoint offers. It keeps nothing: what is there is asked for at every request. */
export interface View {
  /** The source that is passed through, or nothing: all of them. */
  readonly source: string | undefined
  capabilities(caller: Caller): ServerCapabilities
  instructions(caller: Caller): string | undefined
  /** In brief: no more than are needed to find the others, where that can be done. */
  listTools(caller: Caller, inBrief?: boolean): WireTool[]
  /** Rejects with CallFailed. */
  callTool(caller: Caller, name: string, args: Params, hands: CallHands): Promise<ToolResult>
  /** Prompts, resources and completion. Rejects with CallFailed or an error of the protocol. */
  request(caller: Caller, method: string, params: Params, hands: CallHands): Promise<Params>
}
