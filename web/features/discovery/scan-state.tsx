import type { ScanProgress } from '../../../src/contract/discovery.ts'
import { discoveryStrings as words } from '../../strings/discovery.ts'
import { Signal } from '../../ui/signal.tsx'
import { ago } from '../../ui/time.ts'
import { visibleText } from '../approval/visible-text.ts'

/** How the scan goes, or how the last one went: one line, whatever it says. */
export function ScanState({ progress }: { progress: ScanProgress }) {
  const { status, stage, done, total, found, added, gone, error, endedAt } = progress
  if (status === 'failed')
    return (
      <span role="alert" className="min-w-0 truncate text-stop" title={error ?? ''}>
        {words.scanFailed(visibleText(error ?? ''))}
      </span>
    )
  if (status === 'running')
    return (
      <output data-scan="running" className="flex min-w-0 items-center gap-2">
        <Signal aspect="moving" word={words.stages[stage]} />
        {total > 0 && (
          <>
            <progress
              className="window-used h-1 w-24 max-sm:hidden"
              max={total}
              value={done}
              aria-label={words.stages[stage]}
            />
            <span className="truncate text-mute tabular-nums">{words.progress(done, total)}</span>
          </>
        )}
      </output>
    )
  // The first time all of them are new, which nobody needs to be told.
  const outcome = words.outcome(added === found ? 0 : added, gone)
  return (
    <output data-scan="done" className="min-w-0 truncate text-mute">
      {endedAt && words.looked(ago(endedAt))}
      {outcome && ` · ${outcome}`}
    </output>
  )
}

/** What could not be looked at, folded: most people do not care, and whoever misses a program does. */
export function Troubles({ troubles }: Pick<ScanProgress, 'troubles'>) {
  if (troubles.length === 0) return null
  return (
    <details className="py-2 text-small text-mute">
      <summary className="cursor-pointer">{words.troubles(troubles.length)}</summary>
      <ul className="mt-1 flex max-h-60 flex-col gap-1 overflow-y-auto">
        {troubles.map(({ path, reason }) => (
          <li key={path} className="wrap-anywhere">
            <bdi dir="ltr" className="me-2 font-mono text-tiny text-soft">
              {visibleText(path)}
            </bdi>
            {visibleText(reason)}
          </li>
        ))}
      </ul>
    </details>
  )
}
