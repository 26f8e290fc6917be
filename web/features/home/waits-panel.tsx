import { Link } from '@tanstack/react-router'
import { Bell, BellRing } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useStore } from '../../store.ts'
import { homePanelStrings } from '../../strings/home.ts'
import { IconButton } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useListeners } from '../../ui/use-listeners.ts'
import { ApprovalCard } from '../approval/approval-card.tsx'
import { grouped } from '../approval/queue.ts'
import { useSettled } from '../approval/use-settled.ts'
import { useWaiting } from '../approval/waiting.ts'
import { NotifyChoice } from '../notification/notify-choice.tsx'
import { notifications } from '../notification/preference.ts'

const shownAtOnce = 3

/** What waits, the riskiest first, to be answered here. Keys mean the one that has the focus. */
export default function WaitsPanel() {
  const { data } = useWaiting()
  const rows = useMemo(() => grouped(data?.rows ?? []).slice(0, shownAtOnce), [data])
  const list = useRef<HTMLUListElement>(null)
  const [focused, setFocused] = useState<string>()
  const isSettled = useSettled(focused, 300)
  const [isAsking, setAsking] = useState(false)
  const notifying = useStore(notifications)
  const words = homePanelStrings
  const more = (data?.total ?? 0) - rows.length
  useListeners(list, {
    focusin: ({ target }) =>
      setFocused(
        target instanceof Element ? target.closest<HTMLElement>('[data-waits]')?.dataset['waits'] : undefined,
      ),
    focusout: () => setFocused(undefined),
  })
  return (
    <Panel
      title={words.waits}
      isBare={rows.length > 0}
      hint={data && data.total > 0 ? data.total : undefined}
      aside={
        <IconButton
          label={notifying === 'on' ? words.notifyOn : words.notifyOff}
          aria-expanded={isAsking}
          onClick={() => setAsking(!isAsking)}
        >
          {notifying === 'on' ? <BellRing size={15} aria-hidden /> : <Bell size={15} aria-hidden />}
        </IconButton>
      }
    >
      {isAsking && (
        <div className="border-b border-line p-3">
          <NotifyChoice />
        </div>
      )}
      {data && rows.length === 0 && <p className="px-3 py-2.5 text-mute">{words.nothingWaits}</p>}
      <ul ref={list} className="flex flex-col gap-3 empty:hidden">
        {rows.map((approval) => (
          <li
            key={approval.id}
            data-waits={approval.id}
            tabIndex={-1}
            aria-label={approval.title}
            className="rounded-card outline-none"
          >
            <ApprovalCard approval={approval} takesKeys={focused === approval.id && isSettled}>
              {approval.sessionId === null || approval.executionId === null ? (
                <bdi className="truncate font-medium">{approval.agentName}</bdi>
              ) : (
                <Link
                  to="/sessions/$id"
                  params={{ id: approval.sessionId }}
                  search={{ execution: approval.executionId }}
                  className="min-w-0 truncate font-medium underline decoration-edge underline-offset-2"
                >
                  <bdi>{approval.agentName}</bdi>
                </Link>
              )}
            </ApprovalCard>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Link to="/inbox" className="block px-3 py-2 text-small text-soft underline">
          {words.moreWait(more)}
        </Link>
      )}
    </Panel>
  )
}
