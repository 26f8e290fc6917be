import { Link } from '@tanstack/react-router'
import type { SessionView } from '../../routes.tsx'
import { roomStrings } from '../../strings/room.ts'

export type Tab = 'transcript' | SessionView

interface Props {
  sessionId: string
  /** Which turn the log is of. */
  executionId: string | undefined
  current: Tab | undefined
  all: readonly Tab[]
  /** How much is in some of them. */
  amounts: Partial<Record<Tab, number | undefined>>
}

const look =
  'flex h-7 shrink-0 items-center gap-1.5 rounded-control px-2.5 text-soft whitespace-nowrap hover:text-text aria-[current=page]:bg-raise aria-[current=page]:text-text max-lg:h-9'

/** The parts of a session, each at an address of its own. */
export function ViewTabs({ sessionId, executionId, current, all, amounts }: Props) {
  if (all.length < 2 && all[0] === 'transcript') return null
  return (
    <nav
      aria-label={roomStrings.tabs}
      className="flex min-w-0 gap-0.5 overflow-x-auto [scrollbar-width:none]"
    >
      {all.map((each) => (
        <Link
          key={each}
          to="/sessions/$id"
          params={{ id: sessionId }}
          search={searchFor(each, executionId)}
          replace
          activeOptions={{ exact: true, includeSearch: true }}
          data-tab={each}
          aria-current={each === current ? 'page' : undefined}
          className={look}
        >
          {roomStrings.tab[each]}
          {(amounts[each] ?? 0) > 0 && (
            <span className="text-small text-mute tabular-nums">{amounts[each]}</span>
          )}
        </Link>
      ))}
    </nav>
  )
}

const searchFor = (tab: Tab, execution: string | undefined) =>
  tab === 'transcript' ? {} : tab === 'log' ? { execution, view: tab } : { view: tab }
