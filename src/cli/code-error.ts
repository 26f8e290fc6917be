import { Diagnostic } from '#contract/execute.ts'
import type { CodeError } from '#contract/execute.ts'
import { inert, inertLine } from '#lib/inert-text.ts'
import { textWidth } from '#lib/text-width.ts'
import { z } from 'zod'
import type { Screen } from './screen.ts'

const Place = z.object({ line: z.int(), column: z.int().default(1) })
const Details = z.object({ diagnostics: z.array(Diagnostic).min(1) })
const mostShown = 10

/** What went wrong, with the line of the code and a caret under the column. */
export function errorText(
  { paint }: Pick<Screen, 'paint'>,
  { code, message, details }: CodeError,
  source: { name: string; code: string },
): string {
  const lines = source.code.split(/\r\n|[\n\r\u2028\u2029]/)
  const shown = ({ line, column }: { line: number; column: number }): string => {
    const where = paint('dim', `  ${inertLine(source.name)}:${line}:${column}`)
    const text = lines[line - 1]
    if (text === undefined) return `${where}\n`
    const gutter = `  ${line} | `
    const caret = ' '.repeat(gutter.length + textWidth(inertLine(text.slice(0, column - 1))))
    return `${where}\n${paint('dim', gutter)}${inertLine(text)}\n${caret}${paint('red', '^')}\n`
  }
  const head = (said: string) => `${paint('red', code)}: ${inert(said)}\n`

  const found = Details.safeParse(details).data?.diagnostics
  if (found) {
    const told = found.slice(0, mostShown).map((one) => head(one.message) + shown(one) + hint(one.suggestion))
    const rest = found.length - told.length
    return told.join('') + (rest > 0 ? `  and ${rest} more\n` : '')
  }
  const place = Place.safeParse(details).data
  return head(message) + (place ? shown(place) : '') + hint(details['suggestion'])
}

const hint = (said: unknown): string => (typeof said === 'string' ? `  ${inertLine(said)}\n` : '')
