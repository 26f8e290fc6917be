import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { inboxStrings } from '../../strings/inbox.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Empty } from '../../ui/empty.tsx'
import { useKeys } from '../shell/keys.ts'
import { PageHead } from '../shell/page-head.tsx'
import { AnsweredToday } from './answered-today.tsx'
import { InboxItem } from './inbox-item.tsx'
import { grouped, queueFrom } from './queue.ts'
import { useToldOfVanished } from './tell-vanished.ts'
import { useSettled } from './use-settled.ts'
import type { Waiting } from './waiting-cache.ts'
import { useWaiting } from './waiting.ts'

const noRows: Waiting['rows'] = []
const nothing = { n: () => {}, y: () => {}, a: () => {} }

/** Everything that waits for a person, the riskiest first. */
export default function InboxPage() {
  const { data, error, refetch } = useWaiting()
  const words = inboxStrings
  useToldOfVanished(data?.rows ?? noRows)
  return (
    <>
      <PageHead title={words.heading}>
        {data && data.total > 0 && (
          <span className="text-small text-mute tabular-nums" data-waiting-total>
            {words.total(data.total)}
          </span>
        )}
      </PageHead>
      {!data && !error && (
        <output className="animate-appear-late px-5.5 py-2 text-mute max-sm:px-4">{strings.loading}</output>
      )}
      {!data && error && (
        <Empty title={words.failed} text={error.message}>
          <Button onClick={() => void refetch()}>{strings.retry}</Button>
        </Empty>
      )}
      {data && (
        <div className="flex min-h-0 grow flex-col overflow-y-auto px-5.5 max-sm:px-3">
          {data.rows.length === 0 && (
            <div className="flex min-h-80 grow flex-col">
              <NothingToAnswer />
              <Empty title={words.emptyTitle} text={words.emptyText}>
                <Link to="/sessions" className="underline">
                  {words.emptyLink}
                </Link>
              </Empty>
            </div>
          )}
          {data.rows.length > 0 && <List waiting={data} />}
          <AnsweredToday />
          {/* Not as padding, which what sticks to the bottom would stay away from. */}
          <div className="h-20 shrink-0 max-sm:h-6" />
        </div>
      )}
    </>
  )
}

/** Whoever is about to refuse what was just answered elsewhere does not mean a new task. */
function NothingToAnswer() {
  useKeys(nothing, { comesFirst: true })
  return null
}

function List({ waiting }: { waiting: Waiting }) {
  const { total } = waiting
  const rows = useMemo(() => grouped(waiting.rows), [waiting.rows])
  const list = useRef<HTMLUListElement>(null)
  const [chosen, setChosen] = useState<string>()
  const [place, setPlace] = useState(0)
  const found = rows.findIndex(({ id }) => id === chosen)
  // What was answered leaves its place to what comes after it.
  const index = found >= 0 ? found : Math.min(place, rows.length - 1)
  const currentId = rows[index]?.id
  const isSettled = useSettled(currentId)
  if (found >= 0 && found !== place) setPlace(found)
  useEffect(() => {
    const element = list.current
    const choose = ({ target }: FocusEvent) => {
      const item = target instanceof HTMLElement && target.closest<HTMLElement>('[data-approval]')
      if (item) setChosen(item.dataset['approval'])
    }
    element?.addEventListener('focusin', choose)
    return () => element?.removeEventListener('focusin', choose)
  }, [])

  const go = (by: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, index + by))]
    if (!next) return
    setChosen(next.id)
    const item = list.current?.querySelector<HTMLElement>(`[data-approval="${next.id}"]`)
    item?.focus({ preventScroll: true })
    item?.scrollIntoView({ block: 'nearest' })
  }
  useKeys({ j: () => go(1), ArrowDown: () => go(1), k: () => go(-1), ArrowUp: () => go(-1) })
  return (
    <div>
      <ul ref={list} className="flex max-w-220 flex-col gap-3 pt-1">
        {rows.map((approval, at) => (
          <InboxItem
            key={approval.id}
            approval={approval}
            isCurrent={at === index}
            takesKeys={at === index && (found >= 0 || isSettled)}
            queue={queueFrom(rows, at)}
          />
        ))}
      </ul>
      {rows.length < total && <p className="pt-3 text-mute">{inboxStrings.more(total - rows.length)}</p>}
      <p className="pt-3 text-small text-mute max-sm:hidden">
        <Kbd keys="j" /> <Kbd keys="k" /> {inboxStrings.keys}
      </p>
    </div>
  )
}
