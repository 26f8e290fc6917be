import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AuditEntry } from '../../../src/contract/audit.ts'
import { auditStrings as words } from '../../strings/audit.ts'
import { milliseconds } from '../../ui/moments.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { ago, dateAndTime } from '../../ui/time.ts'

const aspects = { ok: 'done', refused: 'off', failed: 'stopped' } as const satisfies Record<
  AuditEntry['outcome'],
  Aspect
>

/** One entry; opened, all that was noted of it. */
export function AuditRow({ entry, nameOf }: { entry: AuditEntry; nameOf: (actor: string) => string }) {
  const { id, at, kind, actor, subject, outcome, detail, durationMs, sessionId } = entry
  const [isOpen, setOpen] = useState(false)
  const brief = inBrief(detail)
  return (
    <li data-audit={id} className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        className="grid w-full grid-cols-[84px_92px_minmax(0,1fr)_auto] items-baseline gap-x-3 py-2 text-start hover:bg-panel focus-visible:-outline-offset-2 max-sm:grid-cols-[84px_minmax(0,1fr)_auto]"
        onClick={() => setOpen(!isOpen)}
      >
        <span className="text-small">
          <Signal aspect={aspects[outcome]} word={words.outcome[outcome]} />
        </span>
        <span className="text-small text-mute max-sm:hidden">{words.kind[kind]}</span>
        <span className="min-w-0">
          <span className="block truncate">
            <bdi className="font-medium">{subject}</bdi> <bdi className="text-soft">{nameOf(actor)}</bdi>
          </span>
          {brief && (
            <bdi dir="ltr" className="block truncate font-mono text-tiny text-mute">
              {brief}
            </bdi>
          )}
        </span>
        <time dateTime={at} title={dateAndTime(at)} className="text-end text-small text-mute tabular-nums">
          {ago(at)}
        </time>
      </button>
      {isOpen && (
        <div className="flex flex-col items-start gap-2 pb-3">
          <p className="text-small text-soft">
            {[
              dateAndTime(at),
              words.kind[kind],
              nameOf(actor),
              ...(durationMs === null ? [] : [milliseconds(durationMs)]),
            ].join(' · ')}
          </p>
          <pre
            dir="ltr"
            className="max-h-80 w-full overflow-auto rounded-control border border-line bg-panel p-2 font-mono text-small whitespace-pre-wrap wrap-anywhere"
          >
            {JSON.stringify(detail, null, 2)}
          </pre>
          {sessionId && (
            <Link to="/sessions/$id" params={{ id: sessionId }} className="underline">
              {words.session}
            </Link>
          )}
        </div>
      )}
    </li>
  )
}

const isId = /^[\da-f]{8}-[\da-f-]{27}$/

/** What it was about, in a line: plain values alone, and no ids. */
const inBrief = (detail: AuditEntry['detail']): string =>
  Object.entries(detail)
    .filter(
      ([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && !isId.test(String(value)),
    )
    .map(([name, value]) => `${name}=${String(value).slice(0, 120)}`)
    .join(' ')
    .slice(0, 300)
