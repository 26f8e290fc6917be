import { CodeFailed } from '#codemode/port.ts'
import type { ToolQuestion } from '#flows/ask-tool-approval.ts'
import { CallFailed } from '#tools/port.ts'
import { AwaitsPerson } from './awaits-person.ts'

/** Why a call of the registry came to nothing, as code sees it. What is not meant for it stays as it is. */
export function asCodeFailure(error: unknown, tool: string): unknown {
  if (!(error instanceof CallFailed)) return error
  const { reason, message, context, tries } = error
  if (reason === 'awaits_person') return new AwaitsPerson(context?.['question'] as ToolQuestion)
  const details = { ...context, tool, reason, tries }
  if (reason === 'bad_arguments') return new CodeFailed('validation', 'TYPE_ERROR', message, details)
  if (reason === 'tool_not_granted')
    return new CodeFailed('security', 'CAPABILITY_VIOLATION', message, details)
  return new CodeFailed('mcp', 'MCP_ERROR', message, details)
}
