import { executionStrings } from '../../strings/execution.ts'
import { transcriptStrings } from '../../strings/transcript.ts'
import { visibleText } from '../approval/visible-text.ts'
import { kindsOf } from './diff-lines.ts'
import type { DiffLine } from './diff-lines.ts'
import { numbered } from './numbered.ts'
import type { Diff } from './transcript-row.ts'

const mostLines = 2000
const looks: Record<DiffLine, string> = {
  added: 'bg-go/12',
  removed: 'bg-stop/12',
  place: 'text-mute',
  head: 'text-mute',
  same: '',
}

/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 }

/** A unified diff, line by line. */
export function DiffText({ diff: { path, text } }: { diff: Pick<Diff, 'path' | 'text'> }) {
  const lines = visibleText(text).replace(/\n$/, '').split('\n')
  const shown = lines.slice(0, mostLines)
  const kinds = kindsOf(shown)
  return (
    <section
      {...reachable}
      dir="ltr"
      data-diff
      aria-label={transcriptStrings.diff(path)}
      className="mt-1.5 max-h-100 overflow-auto rounded-control border border-line bg-ground py-1 font-mono text-small"
    >
      <div className="w-max min-w-full">
        {numbered(shown).map(({ thing: line, number }) => (
          <div key={number} className={`px-2.5 whitespace-pre ${looks[kinds[number - 1] ?? 'same']}`}>
            {line || ' '}
          </div>
        ))}
      </div>
      {lines.length > mostLines && (
        <p className="px-2.5 text-mute">{executionStrings.lines(lines.length - mostLines)} …</p>
      )}
    </section>
  )
}
