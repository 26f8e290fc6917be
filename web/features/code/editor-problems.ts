import type { Diagnostic as Shown } from '@codemirror/lint'
import type { Text } from '@codemirror/state'
import type { Diagnostic } from '../../../src/contract/execute.ts'
import { visibleText } from '../approval/visible-text.ts'

/** Where a line and column are; the end where the code is shorter by now. */
export function positionOf(doc: Text, line: number, column: number): number {
  if (line > doc.lines) return doc.length
  const { from, to } = doc.line(Math.max(1, line))
  return Math.min(to, from + Math.max(0, column - 1))
}

/** What is wrong, at the word where it is. */
export function shownProblems(doc: Text, found: readonly Diagnostic[]): Shown[] {
  return found.map(({ line, column, message, suggestion }) => {
    const from = positionOf(doc, line, column)
    const rest = doc.sliceString(from, doc.lineAt(from).to)
    const length = /^(?:[\w$]+|\S)/.exec(rest)?.[0].length ?? 0
    return {
      from,
      to: from + length,
      severity: 'error',
      message: visibleText(suggestion ? `${message}\n${suggestion}` : message),
    }
  })
}
