import type { CodeError, CodeResult, CodeWaiting, Diagnostic } from '#contract/execute.ts'
import { RUN_CODE } from '#contract/tool.ts'
import type { ToolResult } from '#contract/tool.ts'

// What came of code, for a model that has to go on from it.

const mostDiagnostics = 20
const longestLine = 200

export function resultInWords(
  { success, result, error, logs, requestId }: CodeResult,
  code = '',
): ToolResult {
  if (success || !error) {
    const told = { result: result ?? null, logs }
    return { content: [{ type: 'text', text: JSON.stringify(told) }], structuredContent: told }
  }
  const { type, code: kind, message, details } = error
  const told = { error: { type, code: kind, message, details }, logs, requestId }
  const text = [...errorInWords(error, code), ...(logs.length > 0 ? ['It had logged:', ...logs] : [])]
  return {
    content: [{ type: 'text', text: text.join('\n') }],
    structuredContent: told,
    isError: true,
  }
}

/** It goes on without anybody listening: whoever wants to know what came of it asks for it by its id. */
export function waitingInWords({ requestId, approvals }: CodeWaiting): ToolResult {
  const asked = approvals.map(({ tool, title }) => `${tool}: ${title}`)
  const text = [
    'The code is not at its end: it stands still until a person has answered.',
    ...asked,
    `It goes on by itself then. To get its result call ${RUN_CODE} again, with {"requestId":"${requestId}"} and no code.`,
  ]
  return {
    content: [{ type: 'text', text: text.join('\n') }],
    structuredContent: { requestId, waitingFor: approvals },
  }
}

function errorInWords({ type, code: kind, message, details }: CodeError, code: string): string[] {
  const diagnostics = (details['diagnostics'] ?? []) as Diagnostic[]
  const lines = code.split('\n')
  if (diagnostics.length === 0)
    return [`${type} ${kind}: ${message}${placeOf(details)}`, ...quoted(lines, details['line'])]
  const more = diagnostics.length - mostDiagnostics
  return [
    `${type} ${kind}: Nothing of the code was run, because it does not fit. Correct it and call ${RUN_CODE} again.`,
    ...diagnostics.slice(0, mostDiagnostics).flatMap((one) => [pointOut(one), ...quoted(lines, one.line)]),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

function pointOut({ line, column, message, suggestion = '' }: Diagnostic): string {
  const told = /[.?!]$/.test(message) ? message : `${message}.`
  return `line ${line}, column ${column}: ${told} ${message.includes(suggestion) ? '' : suggestion}`.trimEnd()
}

const placeOf = ({ line, column }: Record<string, unknown>): string => {
  if (typeof line !== 'number') return ''
  return ` (line ${line}${typeof column === 'number' ? `, column ${column}` : ''})`
}

/** The line itself: whoever reads it need not count. */
function quoted(lines: readonly string[], line: unknown): string[] {
  if (typeof line !== 'number') return []
  const text = lines[line - 1]?.slice(0, longestLine) ?? ''
  return text.trim() === '' ? [] : [`  ${line} | ${text}`]
}
