import { createHash } from 'node:crypto'
import type { Tool, ToolAnnotations } from '#contract/tool.ts'
import { inert, inertLine } from '#lib/inert-text.ts'
import { measure } from './measure.ts'
import type { Named } from './names.ts'
import type { OfferedTool } from './port.ts'
import { whyUnchecked } from './unchecked.ts'

type Schema = Record<string, unknown>

const largestSchema = 512 * 1024
const deepestSchema = 100
const longestDescription = 20_000

export interface Definition {
  tool: Tool
  /** Of all that it says about itself: another hash is another tool. */
  hash: string
  /** What is kept of it, to be compared by people. */
  told: () => unknown
  /** Of what is kept, about as many characters. */
  size: number
}

/** A tool as it may be shown: whatever its author wrote is text, bounded, and nothing hides in it. */
export function define({ offered, name, wireName }: Named<OfferedTool>, source: string): Definition {
  const fault = faultIn('inputSchema', offered.inputSchema) ?? faultIn('outputSchema', offered.outputSchema)
  const input = fault ? {} : asSchema(offered.inputSchema)
  const title = text(offered.title, 500)
  const tool: Tool = {
    name,
    wireName,
    description: readable(offered.description),
    inputSchema: { ...input, type: 'object' },
    annotations: annotationsOf(offered.annotations),
    source,
    version: text(offered.version, 100) ?? '',
    tags: list(offered.tags).flatMap((tag) => text(tag, 100) ?? []),
    deprecated: offered.deprecated === true,
    definition: 'pinned',
  }
  if (title) tool.title = title
  if (!fault && isRecord(offered.outputSchema)) tool.outputSchema = offered.outputSchema
  const wanted = fault ?? unfit(input)
  if (wanted) tool.unavailable = `${name} cannot be called: its ${wanted}.`
  const notes = fault ? [] : notesOn(input, tool.outputSchema)
  if (notes.length > 0) tool.notes = notes
  const told = {
    name: offered.name,
    title: offered.title,
    description: offered.description,
    annotations: offered.annotations,
    ...(fault ? { fault } : { inputSchema: offered.inputSchema, outputSchema: offered.outputSchema }),
  }
  const { isWhole, size } = measure(told, { most: 3 * largestSchema, deepest: 2 * deepestSchema })
  const kept = isWhole
    ? told
    : { name: tool.name, description: tool.description, fault: 'is too large to be kept' }
  const hash = createHash('sha256').update(JSON.stringify(kept, sorted)).digest('hex')
  return { tool, hash, told: () => kept, size: isWhole ? size : tool.description.length }
}

function faultIn(which: string, schema: unknown): string | undefined {
  const { size, depth } = measure(schema, { most: largestSchema, deepest: deepestSchema })
  if (size > largestSchema) return `${which} is larger than ${largestSchema / 1024} KB`
  if (depth > deepestSchema) return `${which} is nested deeper than ${deepestSchema} levels`
  return undefined
}

function notesOn(input: Schema, output: Schema | undefined): string[] {
  const why = whyUnchecked(input)
  const whyNot = output && whyUnchecked(output)
  const unchecked = (what: string, which: string, fault: string) =>
    `${what} are not checked beyond what it needs, because its ${which} cannot be followed: ${fault}.`
  return [
    ...(why === undefined ? [] : [unchecked('Its arguments', 'inputSchema', why)]),
    ...(whyNot === undefined ? [] : [unchecked('Its answers', 'outputSchema', whyNot)]),
  ]
}

const unfit = (schema: Schema): string | undefined =>
  schema['type'] === undefined || schema['type'] === 'object'
    ? undefined
    : 'inputSchema is not that of an object'

function annotationsOf(given: unknown): ToolAnnotations {
  if (!isRecord(given)) return {}
  const title = text(given['title'], 500)
  const hints = (['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const).flatMap(
    (hint) => {
      const value = given[hint]
      return typeof value === 'boolean' ? [[hint, value] as const] : []
    },
  )
  return { ...(title ? { title } : {}), ...Object.fromEntries(hints) }
}

function readable(description: unknown): string {
  if (typeof description !== 'string') return ''
  const cut = description.length - longestDescription
  const shown = visible(inert(description.slice(0, longestDescription).toWellFormed()))
  return cut > 0 ? `${shown}\n[${cut} more characters were left out]` : shown
}

/** Letters that no reader sees, but a model reads. */
const visible = (text: string) =>
  text.replaceAll(/[\u{e0000}-\u{e007f}]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`)

const text = (given: unknown, longest: number): string | undefined =>
  typeof given === 'string' ? visible(inertLine(given.slice(0, longest).toWellFormed())) : undefined
const list = (given: unknown): unknown[] => (Array.isArray(given) ? given.slice(0, 50) : [])
const isRecord = (given: unknown): given is Schema =>
  typeof given === 'object' && given !== null && !Array.isArray(given)
const asSchema = (given: unknown): Schema => (isRecord(given) ? given : {})

/** The same value has the same JSON, however its keys are ordered. */
const sorted = (_: string, value: unknown) =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value
