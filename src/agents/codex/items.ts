import type { Fields } from './fields.ts'
import { fieldsOf, listOf, numberOf, textOf } from './fields.ts'
import { scriptOf } from './shell-words.ts'

const mostOutput = 64 * 1024

/** What of a thread's items is a tool at work, as people see it. */
export interface ToolUse {
  tool: string
  input: unknown
}

export type ToolEnd =
  | { how: 'output'; output: unknown }
  | { how: 'error'; text: string }
  | { how: 'denied' }
  | { how: 'open' }

/** These are told in other ways, or not at all. */
const told = new Set(['userMessage', 'agentMessage', 'reasoning', 'plan', 'hookPrompt', 'contextCompaction'])

export function toolUseOf(item: Fields): ToolUse | undefined {
  const type = textOf(item['type']) ?? ''
  switch (type) {
    case 'commandExecution':
      return { tool: 'shell', input: commandInput(item) }
    case 'fileChange':
      return { tool: 'apply_patch', input: { changes: changesOf(item) } }
    case 'mcpToolCall':
      return { tool: `${textOf(item['server'])}.${textOf(item['tool'])}`, input: item['arguments'] ?? {} }
    case 'dynamicToolCall': {
      const namespace = textOf(item['namespace'])
      const name = textOf(item['tool']) ?? type
      return { tool: namespace ? `${namespace}.${name}` : name, input: item['arguments'] ?? {} }
    }
    case 'webSearch':
      return { tool: 'web_search', input: { query: item['query'] ?? null, action: item['action'] ?? null } }
    case 'imageView':
      return { tool: 'view_image', input: { path: item['path'] ?? null } }
  }
  if (!type || told.has(type)) return undefined
  const { id: _, type: __, startedAtMs: ___, completedAtMs: ____, ...rest } = item
  return { tool: textOf(item['tool']) ?? type, input: rest }
}

export const commandInput = (item: Fields): { command: string; cwd: string | null } => ({
  command: scriptOf(textOf(item['command']) ?? ''),
  cwd: textOf(item['cwd']) ?? null,
})

export interface FileChange {
  path: string
  kind: string
  diff: string
  movedTo?: string
}

export const changesOf = (item: Fields): FileChange[] =>
  listOf(item['changes']).map((change) => {
    const kind = fieldsOf(change['kind'])
    const movedTo = textOf(kind['move_path']) ?? textOf(kind['movePath'])
    return {
      path: textOf(change['path']) ?? '',
      kind: textOf(kind['type']) ?? 'update',
      diff: textOf(change['diff']) ?? '',
      ...(movedTo !== undefined && { movedTo }),
    }
  })

/** How an item that is completed came out; `heard` is what it had written until then. */
export function toolEndOf(item: Fields, heard: string): ToolEnd {
  const status = textOf(item['status'])
  if (status === 'declined') return { how: 'denied' }
  if (status === 'inProgress') return { how: 'open' }
  const error = textOf(fieldsOf(item['error'])['message'])
  if (error !== undefined) return { how: 'error', text: error }
  switch (item['type']) {
    case 'commandExecution':
      return commandEnd(item, heard)
    case 'fileChange':
      return status === 'failed'
        ? { how: 'error', text: heard || 'The change could not be made.' }
        : { how: 'output', output: { changed: changesOf(item).map(({ path }) => path) } }
    case 'mcpToolCall':
      return { how: 'output', output: item['result'] ?? null }
    case 'dynamicToolCall':
      return item['success'] === false
        ? { how: 'error', text: dynamicText(item) || 'The tool says that it failed.' }
        : { how: 'output', output: item['contentItems'] ?? null }
  }
  if (status === 'failed') return { how: 'error', text: 'It failed; no reason was told.' }
  return { how: 'output', output: item['result'] ?? item['action'] ?? {} }
}

function commandEnd(item: Fields, heard: string): ToolEnd {
  const exitCode = numberOf(item['exitCode'])
  const output = bounded(textOf(item['aggregatedOutput']) ?? heard)
  if (exitCode === undefined || exitCode < 0)
    return { how: 'error', text: output ? `It was ended. Until then: ${output}` : 'It was ended.' }
  return { how: 'output', output: { output, exitCode, durationMs: numberOf(item['durationMs']) ?? null } }
}

const dynamicText = (item: Fields): string =>
  listOf(item['contentItems'])
    .map((part) => textOf(part['text']) ?? '')
    .join('\n')

/** Beginning and end of what is too long; the middle is said to be missing. */
export function bounded(text: string, most = mostOutput): string {
  if (text.length <= most) return text
  const half = most / 2
  return `${text.slice(0, half)}\n… ${text.length - most} characters are left out …\n${text.slice(-half)}`
}
