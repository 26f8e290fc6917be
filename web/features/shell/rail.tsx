import { Link } from '@tanstack/react-router'
import { Search, Settings, SquareKanban, TrainTrack } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { strings } from '../../strings.ts'
import { Brand } from './brand.tsx'
import { LiveSignal } from './live-signal.tsx'
import { openWindow } from './windows.tsx'

const rooms: { to: '/board' | '/sessions' | '/settings'; name: string; Icon: LucideIcon }[] = [
  { to: '/board', name: strings.rooms.board, Icon: SquareKanban },
  { to: '/sessions', name: strings.rooms.sessions, Icon: TrainTrack },
  { to: '/settings', name: strings.rooms.settings, Icon: Settings },
]

const row =
  'flex h-8 items-center gap-2.5 rounded-control px-2 text-soft hover:text-text aria-[current=page]:bg-raise aria-[current=page]:text-text max-sm:h-12 max-sm:flex-col max-sm:justify-center max-sm:gap-0.5 max-sm:bg-transparent! max-sm:px-5 max-sm:text-tiny'

/** The rooms: at the side on a desk, at the bottom on a phone, where the thumb is. */
export function Rail() {
  return (
    <nav
      aria-label={strings.mainNavigation}
      className="flex w-47 shrink-0 flex-col gap-0.5 border-e border-line px-2.5 py-3.5 max-sm:order-last max-sm:w-full max-sm:flex-row max-sm:justify-around max-sm:border-e-0 max-sm:border-t max-sm:bg-panel max-sm:px-2 max-sm:pt-1 max-sm:pb-[max(4px,env(safe-area-inset-bottom))]"
    >
      <div className="flex items-center gap-2 px-2 pt-0.5 pb-3.5 text-[14px] font-semibold max-sm:hidden">
        <Brand />
        {strings.product}
      </div>
      {rooms.map(({ to, name, Icon }) => (
        <Link key={to} to={to} className={row}>
          <Icon size={16} aria-hidden />
          {name}
        </Link>
      ))}
      <button type="button" className={`${row} sm:hidden`} onClick={() => openWindow({ name: 'palette' })}>
        <Search size={16} aria-hidden />
        {strings.palette.short}
      </button>
      <div className="mt-auto px-2 max-sm:hidden">
        <LiveSignal />
      </div>
    </nav>
  )
}
