import { isObject, listIn, objectIn, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'
import type { Quirks } from './quirks.ts'

/** What is known of a tool call; agents tell it piece by piece. */
export interface ToolCall {
  id: string
  name: string
  title: string
  kind: string
  rawInput: unknown
  content: JsonObject[]
  paths: string[]
}

export interface Diff {
  path: string
  oldText: string | null
  newText: string
}

/** Begins with what is told first, be it a call, an update of one that was never told, or a request for permission. */
export function beginToolCall(told: JsonObject, id: string, quirks: Quirks): ToolCall {
  const kind = textIn(told, 'kind') ?? 'other'
  return addToToolCall(
    {
      id,
      name: nameOf(told, id, kind, quirks),
      title: '',
      kind,
      rawInput: undefined,
      content: [],
      paths: [],
    },
    told,
  )
}

/** What is told replaces what was told before; what is not told stays. */
export function addToToolCall(call: ToolCall, told: JsonObject): ToolCall {
  const locations = listIn(told, 'locations').flatMap((location) => textIn(location, 'path') ?? [])
  return {
    ...call,
    title: textIn(told, 'title') || call.title,
    kind: textIn(told, 'kind') ?? call.kind,
    rawInput: isTold(told['rawInput']) ? told['rawInput'] : call.rawInput,
    content: contentAfter(call, told),
    paths: locations.length > 0 ? locations : call.paths,
  }
}

/** A diff stays, also when what follows is only words about it. */
function contentAfter(call: ToolCall, told: JsonObject): JsonObject[] {
  if (!Array.isArray(told['content'])) return call.content
  const next = listIn(told, 'content')
  const hasDiff = next.some(({ type }) => type === 'diff')
  return hasDiff ? next : [...call.content.filter(({ type }) => type === 'diff'), ...next]
}

/** Its input, or where an agent tells none (gemini), what it shows instead. */
export function inputOf(call: ToolCall): unknown {
  if (isTold(call.rawInput)) return call.rawInput
  const text = textOf(call)
  const diffs = diffsOf(call)
  return {
    ...(call.title && { title: call.title }),
    ...(call.paths.length > 0 && { paths: call.paths }),
    ...(text && { text }),
    ...(diffs.length > 0 && { diffs }),
  }
}

export const textOf = ({ content }: ToolCall): string =>
  content
    .filter((part) => part['type'] === 'content')
    .map((part) => contentText(part['content']))
    .join('\n')

export const contentText = (content: unknown): string =>
  textIn(content, 'text') ?? textIn(objectIn(content, 'resource'), 'text') ?? textIn(content, 'uri') ?? ''

export const diffsOf = ({ content }: ToolCall): Diff[] =>
  content.flatMap((part) => {
    const [path, newText] = [textIn(part, 'path'), textIn(part, 'newText')]
    if (part['type'] !== 'diff' || path === undefined || newText === undefined) return []
    return [{ path, oldText: textIn(part, 'oldText') ?? null, newText }]
  })

/** An empty input is one that is yet to come. */
export const isTold = (input: unknown): boolean =>
  input !== undefined && input !== null && !(isObject(input) && Object.keys(input).length === 0)

const singleWord = /^[\w.:/-]{1,100}$/

function nameOf(told: JsonObject, id: string, kind: string, quirks: Quirks): string {
  const title = textIn(told, 'title') ?? ''
  return (
    textIn(told, 'name') ??
    textIn(objectIn(told['_meta'], 'claudeCode'), 'toolName') ??
    (quirks.idHasToolName ? /^(\w+?)(?:__\w+|-\d{10,}-\d+)$/.exec(id)?.[1] : undefined) ??
    (quirks.titleIsToolName && singleWord.test(title) ? title : kind)
  )
}
