import type { Principal } from '#contract/access.ts'
import type { ImportSources, ImportedSources } from '#contract/source.ts'
import type { ToolResult, ToolsListed } from '#contract/tool.ts'
import type { AskedBy, CallHands, Caller, InputRequest, InputResponse, Registry } from '#tools/port.ts'
import type { Authorizing } from './authorize.ts'
import type { CallerOf } from './caller.ts'
import type { Sources } from './sources.ts'

/** What a model is offered, as `/mcp` has it: few tools, and ways to find the others. */
export interface ToolView {
  /** In brief: only ours, and those by which the others are found. */
  listTools(
    caller: Caller,
    inBrief?: boolean,
  ): readonly {
    name: string
    description?: string | undefined
    inputSchema: Record<string, unknown>
  }[]
  instructions(caller: Caller): string | undefined
  /** Rejects with CallFailed. */
  callTool(caller: Caller, name: string, args: Record<string, unknown>, hands: CallHands): Promise<ToolResult>
}

/** All that a machine has of tools; main puts it together when it is first needed. */
export interface MachineTools {
  registry: Registry
  sources: Sources
  callerOf: CallerOf
  view: ToolView
  /** What `/mcp?tools=…` lists for them. */
  listed(caller: Caller, listing: ToolsListed): ReturnType<ToolView['listTools']>
  /** Asks people what a tool wants to know in the middle of a call. Rejects with CallFailed when nobody is there to answer. */
  askInstead(
    caller: Caller,
    asked: { by: AskedBy; requests: Record<string, InputRequest> },
    signal: AbortSignal,
  ): Promise<Record<string, InputResponse>>
  authorizing(): Promise<Authorizing>
  /** Whether a call here waits for the answer to it. */
  isWaitedFor(approvalId: string): boolean
  /** From the configurations of other programs on this machine. */
  importSources(by: string, wanted: ImportSources): Promise<ImportedSources>
  /** Our MCP endpoint. */
  mcp(request: Request, by: Principal): Promise<Response>
}
