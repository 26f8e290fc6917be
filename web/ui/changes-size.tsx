import type { Changes } from '../../src/contract/execution.ts'
import { strings } from '../strings/page.ts'

/** How much was changed: lines that came and went. */
export function ChangesSize({ changes }: { changes: Changes }) {
  const { files, additions, deletions } = changes
  const words = strings.changes(files, additions, deletions)
  return (
    <span className="inline-flex shrink-0 gap-1 font-mono text-tiny tabular-nums" title={words}>
      <span className="text-(--green)" aria-hidden>
        +{additions}
      </span>
      <span className="text-(--red)" aria-hidden>
        −{deletions}
      </span>
      <span className="sr-only">{words}</span>
    </span>
  )
}
