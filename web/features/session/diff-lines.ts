export type DiffLine = 'added' | 'removed' | 'place' | 'head' | 'same'

const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const head =
  /^(?:--- |\+\+\+ |diff |index |(?:new|deleted) file |(?:old|new) mode |similarity |rename |Binary files )/
const marks: Record<string, DiffLine> = { '+': 'added', '-': 'removed', '@': 'place' }

/**
 * What each line of a unified diff is. Within a hunk, whose length is told, `--- x` is a removed line that begins with `-- x`;
 * elsewhere it names a file.
 */
export function kindsOf(lines: readonly string[]): DiffLine[] {
  let [removed, added] = [0, 0]
  return lines.map((line) => {
    const mark = line.charAt(0)
    if (removed + added > 0 && (line === '' || ' +-\\'.includes(mark))) {
      if (mark !== '+' && mark !== '\\') removed -= 1
      if (mark !== '-' && mark !== '\\') added -= 1
      return marks[mark] ?? 'same'
    }
    const [begins, before = '1', after = '1'] = hunk.exec(line) ?? []
    ;[removed, added] = begins === undefined ? [0, 0] : [Number(before), Number(after)]
    return head.test(line) ? 'head' : (marks[mark] ?? 'same')
  })
}
