import type { ToolContent, ToolResult } from '#contract/tool.ts'
import { cut, mostTextOf } from './kept-results.ts'
import { measure } from './measure.ts'
import type { Caller } from './port.ts'

export interface Limits {
  /** Characters of text, and of structured content. */
  text: number
  /** Characters of base64: images, audio, files. */
  binary: number
}

export const limitsFor = {
  agent: { text: 100_000, binary: 5 * 1024 * 1024 },
  person: { text: 10 * 1024 * 1024, binary: 20 * 1024 * 1024 },
  /** Only the code reads all of it. */
  code: { text: 10 * 1024 * 1024, binary: 5 * 1024 * 1024 },
} as const satisfies Record<string, Limits>

/** Whoever reads by a model's window is given no more than fits there. */
export function limitsOf(caller: Caller): Limits {
  if (caller.inCode) return limitsFor.code
  const { text, binary } = limitsFor[caller.kind]
  return { text: mostTextOf(caller, text), binary }
}

/** Besides its text or its bytes a piece may have no more than this. */
const largestRest = 20_000
const mostPieces = 1_000

export interface Bounded {
  result: ToolResult
  /** Characters of its text, before anything was left out. */
  chars: number
  isCut: boolean
}

type Keep = (texts: readonly string[]) => { handle: string; total: number }

/** As much of an answer as may be given at once. What is left out is told in it, with the way to the rest of the text. */
export function bound(answer: ToolResult, limits: Limits, keep: Keep, hasOutputSchema: boolean): Bounded {
  const left = { ...limits }
  const all = contentOf(answer, limits)
  const content: ToolContent[] = []
  const texts: string[] = []
  let offset = 0
  for (const part of all.slice(0, mostPieces)) {
    const fitting = fit(part, left)
    if (fitting.text !== undefined) texts.push(fitting.text)
    if (fitting.part) content.push(fitting.part)
    offset += fitting.given ?? 0
  }
  const chars = texts.reduce((sum, text) => sum + text.length, 0)
  const result: ToolResult = { content }
  if (answer.isError === true) result.isError = true
  const isStructured = isSmall(answer.structuredContent, limits.text)
  if (isStructured && answer.structuredContent !== undefined)
    result.structuredContent = answer.structuredContent
  if (!isStructured) {
    content.push(note('The structured form of this answer is too large, and was left out.'))
    // Whoever reads by the schema would take an answer without it for a broken one.
    if (hasOutputSchema) result.isError = true
  }
  if (all.length > mostPieces)
    content.push(note(`This answer has ${all.length} pieces: these are the first ${mostPieces}.`))
  const rest = offset < chars ? tellRest(content, texts, { offset, chars }, keep) : undefined
  const { _meta: told } = answer
  const meta = { ...(isSmall(told, largestRest) ? told : {}), ...rest }
  if (Object.keys(meta).length > 0) Object.assign(result, { _meta: meta })
  return { result, chars, isCut: rest !== undefined || !isStructured || all.length > mostPieces }
}

/** Structured content that has no text beside it, and is too large to be given, is given as text. */
function contentOf({ content, structuredContent }: ToolResult, { text }: Limits): ToolContent[] {
  const parts = (Array.isArray(content) ? content : []).filter(
    (part) => typeof part === 'object' && part !== null && typeof part.type === 'string',
  )
  if (parts.length > 0 || isSmall(structuredContent, text) || !isSmall(structuredContent, 200 * text))
    return parts
  return [{ type: 'text', text: JSON.stringify(structuredContent) }]
}

const isSmall = (value: unknown, most: number) => measure(value, { most, deepest: 1_000 }).isWhole

interface Fitting {
  part?: ToolContent
  /** All the text it has, and how much of that is given. */
  text?: string
  given?: number
}

/** What of a piece can be given. Once a text was cut no later one is begun. */
function fit(part: ToolContent, left: Limits): Fitting {
  if (!isSmall(withoutBulk(part), largestRest))
    return {
      part: note(`A piece of this answer (${part.type.slice(0, 50)}) is too large, and was left out.`),
    }
  const bytes = bytesOf(part)
  if (bytes !== undefined) {
    if (bytes > left.binary) return { part: tooLarge(part, bytes, left.binary) }
    left.binary -= bytes
    return { part }
  }
  const text = textOf(part)
  if (text === undefined) return { part }
  if (left.text === 0 && text !== '') return { text }
  const shown = cut(text, left.text)
  const isWhole = shown.length === text.length
  left.text = isWhole ? left.text - shown.length : 0
  return { part: isWhole ? part : withText(part, shown), text, given: shown.length }
}

/** Says in the answer where the rest is; answers with the same for programs. */
function tellRest(
  content: ToolContent[],
  texts: readonly string[],
  { offset, chars }: { offset: number; chars: number },
  keep: Keep,
): Record<string, unknown> {
  const { handle, total } = keep(texts)
  const gone = total < chars ? ` Only the first ${total} could be kept.` : ''
  content.push(
    note(
      `This answer has ${chars} characters, of which the first ${offset} are given.${gone} read_result with the handle ${handle} and the offset ${offset} gives what follows.`,
    ),
  )
  return { 'signalbox/rest': { handle, offset, total } }
}

/** The rest, or more of it: told in the same way. */
export function nextPiece(
  handle: string,
  { text, nextOffset, total }: { text: string; nextOffset: number | null; total: number },
): ToolResult {
  const content: ToolContent[] = [{ type: 'text', text }]
  if (nextOffset === null) return { content }
  content.push(note(`${total - nextOffset} more: offset ${nextOffset}`))
  return { content, _meta: { 'signalbox/rest': { handle, offset: nextOffset, total } } }
}

const note = (sentence: string): ToolContent => ({ type: 'text', text: `[${sentence}]` })

const tooLarge = ({ type, mimeType }: ToolContent, bytes: number, most: number) =>
  note(
    `${typeof mimeType === 'string' ? mimeType.slice(0, 100) : type.slice(0, 50)} of ${inMb(bytes)} MB was left out: ${inMb(most)} MB more can be given in one answer.`,
  )
const inMb = (base64: number) => ((base64 * 0.75) / 1024 / 1024).toFixed(1)

const resourceOf = ({ resource }: ToolContent): Record<string, unknown> | undefined =>
  typeof resource === 'object' && resource !== null ? { ...resource } : undefined

function textOf(part: ToolContent): string | undefined {
  const text = part.type === 'resource' ? resourceOf(part)?.['text'] : part['text']
  return typeof text === 'string' ? text : undefined
}

function bytesOf(part: ToolContent): number | undefined {
  const bytes = part.type === 'resource' ? resourceOf(part)?.['blob'] : part['data']
  return typeof bytes === 'string' ? bytes.length : undefined
}

const withText = (part: ToolContent, text: string): ToolContent =>
  part.type === 'resource' ? { ...part, resource: { ...resourceOf(part), text } } : { ...part, text }

function withoutBulk(part: ToolContent): unknown {
  if (part.type !== 'resource') return { ...part, text: '', data: '' }
  return { ...part, resource: { ...resourceOf(part), text: '', blob: '' } }
}
