import { useVirtualizer } from '@tanstack/react-virtual'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../../api.ts'
import { chatStrings } from '../../strings/chat.ts'
import { sessionStrings } from '../../strings/session.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { useNow } from '../board/use-now.ts'
import { PageHead } from '../shell/page-head.tsx'
import { openWindow } from '../shell/windows.tsx'
import { maySpeak } from './may-speak.ts'
import { columns, SessionRow } from './session-row.tsx'
import { readMoreSessions, useSessions } from './sessions.ts'
import type { Sessions } from './sessions.ts'

/** All conversations, and all commands that ran and run; those first in which something happened last. */
export default function SessionsPage() {
  const { data, error, refetch } = useSessions()
  return (
    <>
      <PageHead title={sessionStrings.heading}>
        {data && data.total > 0 && (
          <>
            <NewChatButton />
            <span className="text-small text-mute tabular-nums">{sessionStrings.total(data.total)}</span>
          </>
        )}
      </PageHead>
      {!data && !error && (
        <output className="animate-appear-late px-5.5 py-2 text-mute max-sm:px-4">{strings.loading}</output>
      )}
      {!data && error && (
        <Empty title={sessionStrings.failed} text={error.message}>
          <Button onClick={() => void refetch()}>{strings.retry}</Button>
        </Empty>
      )}
      {data?.rows.length === 0 && (
        <Empty title={sessionStrings.emptyTitle} text={sessionStrings.emptyText}>
          <div className="flex flex-col items-center gap-3">
            <NewChatButton />
            <code className="rounded-control border border-line bg-panel px-3 py-2 font-mono text-small select-all">
              {sessionStrings.emptyCommand}
            </code>
          </div>
        </Empty>
      )}
      {data && data.rows.length > 0 && <List sessions={data} />}
    </>
  )
}

function NewChatButton() {
  return (
    maySpeak(true) && <Button onClick={() => openWindow({ name: 'newChat' })}>{chatStrings.newChat}</Button>
  )
}

const rowHeight = () => (window.matchMedia('(width < 40rem)').matches ? 57 : 37)

function List({ sessions: { rows, total } }: { sessions: Sessions }) {
  const scroller = useRef<HTMLDivElement>(null)
  const now = useNow()
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) })
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.id ?? index,
    estimateSize: rowHeight,
    overscan: 10,
  })
  const items = virtualizer.getVirtualItems()
  const wantsMore = rows.length < total && (items.at(-1)?.index ?? 0) >= rows.length - 20
  useEffect(() => {
    // What cannot be read now is asked for again with the next scroll; that the connection is lost is shown already.
    if (wantsMore) readMoreSessions().catch(() => {})
  }, [wantsMore, rows.length])
  const { status, title, who, turns, cost, active } = sessionStrings.columns
  return (
    <>
      <div aria-hidden className={`${columns} px-5.5 pb-1.5 text-small text-mute max-sm:hidden`}>
        {[status, title, who].map((name) => (
          <span key={name}>{name}</span>
        ))}
        {[turns, cost, active].map((name) => (
          <span key={name} className="text-end">
            {name}
          </span>
        ))}
      </div>
      <div ref={scroller} className="min-h-0 grow overflow-y-auto border-t border-line pb-20">
        <ul className="relative" style={{ blockSize: virtualizer.getTotalSize() }}>
          {items.map(({ index, start, key }) => {
            const session = rows[index]
            if (!session) return null
            return (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                aria-setsize={total}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <SessionRow
                  session={session}
                  agent={agents.data?.find(({ id }) => id === session.agentId)}
                  now={now}
                />
              </li>
            )
          })}
        </ul>
      </div>
    </>
  )
}
