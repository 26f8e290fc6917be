import { isRecord } from './schema.ts'

const longestValue = 40
const longestText = 160

/** What is to be known of a property, as a comment before it; empty when its name says it all. */
export function docsOf(name: string, property: unknown): string {
  if (!isRecord(property)) return ''
  const { description, default: start, deprecated, format, examples, example } = property
  const sample = Array.isArray(examples) ? examples[0] : example
  const told = [
    ...(typeof description === 'string' && saysMore(name, description)
      ? [comment(description, longestText)]
      : []),
    ...(typeof format === 'string' && format.length < longestValue ? [`@format ${comment(format, 40)}`] : []),
    ...valueTag('default', start),
    ...valueTag('example', sample),
    ...(deprecated === true ? ['@deprecated'] : []),
  ]
  return told.length > 0 ? `/** ${told.join(' ')} */ ` : ''
}

function valueTag(tag: string, value: unknown): string[] {
  if (value === undefined) return []
  const text = JSON.stringify(value)
  return text.length < longestValue ? [`@${tag} ${comment(text, longestValue)}`] : []
}

const emptyWords = ['the', 'a', 'an', 'of', 'to', 'for', 'is', 'this', 'optional', 'required']

/** A description that only repeats the name is read for nothing. */
function saysMore(name: string, description: string): boolean {
  const words = (text: string) =>
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const known = new Set([...words(name), ...emptyWords])
  return words(description).some((word) => !known.has(word))
}

/** One line that cannot end the comment it stands in. */
export function comment(text: string, most: number): string {
  const line = text.replaceAll(/[\s\u2028\u2029\u0085]+/g, ' ').trim()
  const short = line.length <= most ? line : `${line.slice(0, most - 1)}…`
  return short.replaceAll('*/', '* /').toWellFormed()
}
