import type { Principal } from '#contract/access.ts'
import type { SourceHealth } from '#contract/source.ts'
import type { Tool, ToolResult } from '#contract/tool.ts'
import type { Machine } from '#db/machines.ts'
import { Problem } from '#domain/problem.ts'
import { CallFailed } from '#tools/port.ts'
import type { Caller, CallFailure, InCode, OfferedTool, SourceChange, ToolSource } from '#tools/port.ts'
import { principalOf } from './native-tool.ts'

/** What the worker of another machine is asked. Rejects with a Problem. */
export interface AskElsewhere {
  tools(machine: Machine, source: string): Promise<Tool[]>
  call(
    machine: Machine,
    asked: {
      by: Principal
      name: string
      args: Record<string, unknown>
      confirm?: boolean
      inCode?: InCode
    },
    signal: AbortSignal,
  ): Promise<ToolResult>
}

export interface RemoteSource extends ToolSource {
  /** What it has there now. */
  refresh(): Promise<void>
}

/** A source of another machine. The registry there decides, asks and writes down; here it is only found, and passed on. */
export function remoteSource(
  { name, description, machine }: { name: string; description: string; machine: Machine },
  ask: AskElsewhere,
): RemoteSource {
  const listeners = new Set<(change: SourceChange) => void>()
  let tools: readonly OfferedTool[] = []
  let known = '[]'
  let health: SourceHealth = { ...nothingYet, name }

  return {
    name,
    description,
    tools: () => tools,
    async call(caller, tool, args, { signal }) {
      try {
        const asked = { by: principalOf(caller), name: `${name}.${tool}`, args, ...ofCode(caller) }
        return await ask.call(machine, asked, signal)
      } catch (error) {
        throw asFailure(error)
      }
    },
    health: () => health,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async refresh() {
      try {
        const found = (await ask.tools(machine, name)).map((tool) => offered(name, tool))
        health = { ...health, status: 'healthy', error: null, errorAt: null, tools: found.length }
        const text = JSON.stringify(found)
        if (text === known) return
        known = text
        tools = found
        for (const listener of listeners) listener({ kind: 'tools' })
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        health = { ...health, status: 'unhealthy', error: why, errorAt: new Date().toISOString() }
      }
    },
    close: () => Promise.resolve(),
  }
}

const nothingYet: Omit<SourceHealth, 'name'> = {
  status: 'connecting',
  error: null,
  errorAt: null,
  nextRetryAt: null,
  tools: 0,
  protocol: null,
  server: null,
  pid: null,
  since: null,
}

/** Somebody is asked there: here it would be for the second time. */
const offered = (source: string, tool: Tool): OfferedTool => ({
  name: tool.name.slice(source.length + 1),
  ...(tool.title !== undefined && { title: tool.title }),
  description: tool.description,
  inputSchema: tool.inputSchema,
  ...(tool.outputSchema && { outputSchema: tool.outputSchema }),
  annotations: tool.annotations,
  version: tool.version,
  tags: tool.tags,
  deprecated: tool.deprecated,
  isAskedElsewhere: true,
})

const reasons: Partial<Record<Problem['code'], CallFailure>> = {
  tool_not_found: 'tool_not_found',
  tool_not_granted: 'tool_not_granted',
  tool_changed: 'tool_changed',
  tool_refused: 'tool_refused',
  does_not_fit: 'bad_arguments',
  too_many_calls: 'too_many_calls',
  tool_timed_out: 'tool_timed_out',
  source_unauthorized: 'source_unauthorized',
  source_failed: 'source_failed',
  answer_too_large: 'answer_too_large',
}

/** Code calls: what is to be asked is decided there, and asked here, where the run is. */
const ofCode = (caller: Caller) => ({
  ...(caller.inCode && { inCode: caller.inCode }),
  ...(caller.inCode && caller.kind === 'person' && caller.confirmed && { confirm: true }),
})

const reasonOf = ({ code, context }: Problem): CallFailure =>
  code === 'tool_refused' && context && 'question' in context
    ? 'awaits_person'
    : (reasons[code] ?? 'source_unavailable')

/** Never tried again from here: it was tried there. */
export const asFailure = (error: unknown): unknown =>
  error instanceof Problem
    ? new CallFailed(reasonOf(error), error.message, { ...(error.context && { context: error.context }) })
    : error
