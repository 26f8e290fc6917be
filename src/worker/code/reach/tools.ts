import { CodeFailed } from '#codemode/port.ts'
import type { CodeApi, CodeMode } from '#codemode/port.ts'
import type { ToolResult } from '#contract/tool.ts'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import { fits } from '#lib/glob.ts'
import type { Caller, InCode, Registry } from '#tools/port.ts'
import { asCodeFailure } from './call-failure.ts'
import { apiWithTool } from './late-tools.ts'
import type { ReachOf } from './open-reach.ts'
import { openPace } from './pace.ts'
import { openTurns } from './turns.ts'
import { within } from './within.ts'

interface Needs {
  registry: Registry
  observe: CodeMode['observe']
}

export interface ToolReach {
  call(name: string, given: readonly unknown[], of: OneCall): Promise<unknown>
  /** Of a call that was made before. Waits for a source that has only just been begun. */
  toolOf(name: string, signal: AbortSignal): Promise<string | undefined>
}

/** Which call of the run it is. */
export interface OneCall extends CallMade {
  call: number
  signal: AbortSignal
}

/** What there is to a call besides what code says. */
export interface CallMade {
  /** The answer of a person to what it has asked. */
  consent?: InCode['consent']
  /** Awaited before anything of it is sent, each time that something is. When it rejects, nothing is. */
  beforeSend?: (() => Promise<void>) | undefined
}

/** The caller, in whose name the code of a run makes this call; of files, those that it is held to. */
export const inCode = (
  { caller, runId }: ReachOf,
  { call, consent }: OneCall,
  within?: readonly string[],
): Caller => ({
  ...caller,
  inCode: { runId, call, ...(consent && { consent }), ...(within && { within }) },
})

/** The tools that were granted, by the names that code has for them. */
export function openToolReach({ registry, observe }: Needs, run: ReachOf): ToolReach {
  const { grants } = run
  const { perSecond, atOnce, timeoutMs } = grants.mcp
  const pace = openPace(perSecond)
  const turns = openTurns(atOnce)

  /** One that is not known may be there in a moment. */
  async function apiFor(name: string, signal: AbortSignal, wasThere: boolean): Promise<CodeApi | undefined> {
    if (run.api.toolOf(name) !== undefined) return run.api
    return apiWithTool({ registry, ...run }, { name, wasThere, timeoutMs, signal })
  }

  async function callTool(tool: string, args: Record<string, unknown>, one: OneCall): Promise<unknown> {
    const { beforeSend } = one
    const ask = (signal: AbortSignal) =>
      registry.call(inCode(run, one), tool, args, { signal, ...(beforeSend && { beforeSend }) })
    try {
      return valueOf(tool, await within(timeoutMs, () => tooLate(tool, timeoutMs), one.signal, ask))
    } catch (error) {
      throw asCodeFailure(error, tool)
    }
  }

  return {
    async call(name, given, one) {
      const api = await apiFor(name, one.signal, one.consent !== undefined)
      const tool = api?.toolOf(name)
      if (api === undefined || tool === undefined) throw unknownTool(name)
      if (!mayCall(grants.mcp, tool)) throw notGranted(tool)
      if (!hasTools(run.caller)) throw withoutScope(tool)
      const args = api.argsOf(tool, given)
      const value = await turns.inTurn(async () => {
        await pace.take(one.signal)
        return callTool(tool, args, one)
      }, one.signal)
      observe(tool, value)
      return value
    },
    toolOf: async (name, signal) => (await apiFor(name, signal, true))?.toolOf(name),
  }
}

export const mayCall = ({ tools }: CodeGrants['mcp'], tool: string): boolean =>
  tools.some((pattern) => fits(pattern, tool))

/** A person may have lost the scope since this run began. */
const hasTools = (caller: Caller): boolean =>
  caller.kind === 'agent' || caller.isOwner || (caller.scopes?.includes('tools') ?? false)

/** What a tool has answered, as code wants to have it: data where there is any. Throws CodeFailed when the tool says that it failed. */
function valueOf(tool: string, { content, structuredContent, isError }: ToolResult): unknown {
  const texts = content.map((part) =>
    part.type === 'text' && typeof part['text'] === 'string' ? part['text'] : undefined,
  )
  if (isError)
    throw new CodeFailed(
      'mcp',
      'MCP_ERROR',
      texts.filter(Boolean).join('\n') || `${tool} has failed, and does not say why`,
      {
        tool,
        reason: 'tool_failed',
        ...(structuredContent !== undefined && { answer: structuredContent }),
      },
    )
  if (structuredContent !== undefined) return structuredContent
  const [text] = texts
  return content.length === 1 && text !== undefined ? dataIn(text) : content
}

/** JSON is data; a number only if it is written as we would write it, for else it is something like a telephone number. */
function dataIn(text: string): unknown {
  try {
    const data: unknown = JSON.parse(text)
    return typeof data === 'number' && String(data) !== text ? text : data
  } catch {
    return text
  }
}

const unknownTool = (name: string) =>
  new CodeFailed(
    'mcp',
    'MCP_ERROR',
    `There is no mcp.${shown(name)}: no tool of that name is there for you. search_tools, or GET /api/v1/tools, tells which there are`,
    { reason: 'tool_not_found', tool: shown(name) },
  )

function notGranted(tool: string): CodeFailed {
  const capability = `mcp:${tool}`
  return new CodeFailed(
    'security',
    'CAPABILITY_VIOLATION',
    `This code may not call ${tool}: it was not given the capability. Ask for it with capabilities: ["${capability}"]`,
    { tool, capability },
  )
}

const withoutScope = (tool: string): CodeFailed =>
  new CodeFailed(
    'security',
    'CAPABILITY_VIOLATION',
    `This code may not call ${tool}: that needs the scope tools, which whoever runs it does not have`,
    { tool, missing: ['tools'] },
  )

const tooLate = (tool: string, timeoutMs: number) =>
  new CodeFailed(
    'mcp',
    'MCP_ERROR',
    `${tool} did not answer within ${timeoutMs / 1000} s, and was given up. What it has done by then is not known`,
    { tool, reason: 'tool_timed_out', timeoutMs },
  )

const shown = (name: string): string => (name.length > 100 ? `${name.slice(0, 100)}…` : name)
