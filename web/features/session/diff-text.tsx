import { roomStrings } from '../../room-strings.ts'
import { visibleText } from '../approval/visible-text.ts'
import { numbered } from './numbered.ts'
import type { Diff } from './transcript-row.ts'

const mostLines = 2000
const looks: Record<string, string> = {
  '+': 'bg-go/12',
  '-': 'bg-stop/12',
  '@': 'text-mute',
}

/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 }

/** A unified diff, line by line. */
export function DiffText({ diff: { path, text } }: { diff: Pick<Diff, 'path' | 'text'> }) {
  const lines = visibleText(text).replace(/\n$/, '').split('\n')
  return (
    <section
      {...reachable}
      dir="ltr"
      data-diff
      aria-label={roomStrings.transcript.diff(path)}
      className="mt-1.5 max-h-100 overflow-auto rounded-control border border-line bg-ground py-1 font-mono text-small"
    >
      <div className="w-max min-w-full">
        {numbered(lines.slice(0, mostLines)).map(({ thing: line, number }) => (
          <div key={number} className={`px-2.5 whitespace-pre ${looks[line.charAt(0)] ?? ''}`}>
            {line || ' '}
          </div>
        ))}
      </div>
      {lines.length > mostLines && (
        <p className="px-2.5 text-mute">{roomStrings.execution.lines(lines.length - mostLines)} …</p>
      )}
    </section>
  )
}
