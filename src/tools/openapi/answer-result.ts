import type { ToolContent, ToolResult } from '#contract/tool.ts'
import type { ApiAnswer } from './send.ts'

const longestError = 65_536

/** What an answer is to whoever called the tool. */
export function resultOf(answer: ApiAnswer): ToolResult {
  const { status, bytes } = answer
  const type = (answer.headers.get('content-type') ?? '').toLowerCase()
  if (status >= 400) {
    const body = isText(type) ? textIn(bytes.subarray(0, longestError), type) : ''
    const more = bytes.length > longestError ? '…' : ''
    return {
      isError: true,
      content: [{ type: 'text', text: `${headline(answer)}${body && `\n${body}`}${more}` }],
    }
  }
  if (bytes.length === 0) return { content: [{ type: 'text', text: headline(answer) }] }
  if (!isText(type)) return { content: [binary(answer, type.split(';', 1)[0]!.trim())] }
  const text = textIn(bytes, type)
  const content = [{ type: 'text', text }]
  const json = /[/+]json\b/.test(type) ? parsed(text) : undefined
  return json === undefined ? { content } : { content, structuredContent: json }
}

const headline = ({ status, statusText }: ApiAnswer) => `HTTP ${status} ${statusText}`.trim()

/** What says nothing of its kind is text. */
const isText = (type: string) =>
  type === '' ||
  /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-www-form-urlencoded|x-ndjson|graphql)\b/.test(type)

function textIn(bytes: Uint8Array, type: string): string {
  const charset = /charset="?([\w-]+)/.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Without the query in its address: there may be a key in it. */
function binary({ bytes, url }: ApiAnswer, mimeType: string): ToolContent {
  const data = bytes.toString('base64')
  const kind = mimeType.split('/', 1)[0]
  if (kind === 'image' || kind === 'audio') return { type: kind, data, mimeType }
  return { type: 'resource', resource: { uri: `${url.origin}${url.pathname}`, mimeType, blob: data } }
}
