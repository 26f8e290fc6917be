import { inspect } from 'node:util'

type Content = Record<string, unknown> & { type: string }
/** A result as MCP has it. */
export interface ModuleResult {
  content: Content[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

/** Whatever a tool of LangChain gives back: text, blocks of content, a message, content with its artifact, or any object. */
export function resultOf(given: unknown, responseFormat?: unknown): ModuleResult {
  if (isRecord(given) && 'tool_call_id' in given) {
    const result = withArtifact(given['content'], given['artifact'])
    return given['status'] === 'error' ? { ...result, isError: true } : result
  }
  if (responseFormat === 'content_and_artifact' && Array.isArray(given) && given.length === 2) {
    return withArtifact(given[0], given[1])
  }
  if (given === undefined) return { content: [] }
  if (typeof given === 'string') return { content: [text(given)] }
  if (Array.isArray(given) && given.length > 0 && given.every(isBlock)) return { content: given.map(block) }
  const json = asJson(given)
  if (json === undefined) return { content: [text(inspect(given))] }
  const value: unknown = JSON.parse(json)
  return { content: [text(json)], ...(isRecord(value) && { structuredContent: value }) }
}

function withArtifact(content: unknown, artifact: unknown): ModuleResult {
  const result = resultOf(content)
  const json = artifact === undefined ? undefined : asJson(artifact)
  const value: unknown = json === undefined ? undefined : JSON.parse(json)
  return isRecord(value) ? { ...result, structuredContent: value } : result
}

const kinds = new Set(['text', 'image_url', 'image', 'audio', 'file'])
const isBlock = (one: unknown): one is Content =>
  isRecord(one) && typeof one['type'] === 'string' && kinds.has(one['type']) && fitting(one)
const fitting = (one: Record<string, unknown>) => one['type'] !== 'text' || typeof one['text'] === 'string'

function block(one: Content): Content {
  if (one.type === 'text') return text(String(one['text']))
  const data = one['data']
  const mimeType =
    [one['mimeType'], one['mime_type']].find((type) => typeof type === 'string') ?? 'application/octet-stream'
  if (typeof data === 'string') return bytes(data, mimeType)
  const url = addressOf(one)
  const inline = url === undefined ? null : /^data:([^;,]*);base64,(.*)$/s.exec(url)
  if (inline) return bytes(inline[2]!, inline[1]!)
  if (url !== undefined) return { type: 'resource_link', uri: url, name: url.slice(0, 200) }
  return text(asJson(one) ?? one.type)
}

function addressOf(one: Content): string | undefined {
  const given = one['image_url'] ?? one['url']
  const url = isRecord(given) ? given['url'] : given
  return typeof url === 'string' ? url : undefined
}

function bytes(data: string, mimeType: string): Content {
  const kind = mimeType.split('/', 1)[0]
  if (kind === 'image' || kind === 'audio') return { type: kind, data, mimeType }
  return { type: 'resource', resource: { uri: 'langchain:file', mimeType, blob: data } }
}

const text = (words: string): Content => ({ type: 'text', text: words })
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined // it contains itself, or something that JSON does not know
  }
}
