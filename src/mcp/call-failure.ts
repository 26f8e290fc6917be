import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ToolResult } from '#contract/tool.ts'
import { CallFailed } from '#tools/port.ts'

/** What went wrong at an upstream, as it told it. */
const UpstreamError = z.object({ code: z.int(), data: z.unknown().optional() })

/** Says to the model why a call came to nothing, in words that it can act on. What is no failure of a call is thrown on. */
export function toldAsResult(error: unknown): ToolResult {
  if (!(error instanceof CallFailed) || error.reason === 'cancelled') throw error
  return { content: [{ type: 'text', text: error.message }], isError: true }
}

/** The same for the methods that have no result for it. */
export function asProtocolError(error: unknown): unknown {
  if (!(error instanceof CallFailed) || error.reason === 'cancelled') return error
  const upstream = UpstreamError.safeParse(error.context)
  if (upstream.success) return new ProtocolError(upstream.data.code, error.message, upstream.data.data)
  const code = isTheirs.has(error.reason) ? ProtocolErrorCode.InvalidParams : refusal
  return new ProtocolError(code, error.message, { code: error.reason })
}

/** Of the range that is a server's own. */
export const refusal = -32_000
const isTheirs: ReadonlySet<string> = new Set(['tool_not_found', 'source_not_found', 'bad_arguments'])

export const unknownTool = (name: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
