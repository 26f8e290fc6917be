import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { strings } from '../../strings/page.ts'
import { useWaiting } from '../approval/waiting.ts'
import { Brand } from './brand.tsx'
import { LiveSignal } from './live-signal.tsx'
import { rooms } from './rooms.ts'
import { openWindow } from './windows.tsx'

const row =
  'relative flex h-8 items-center gap-2.5 rounded-control px-2 text-soft hover:text-text aria-[current=page]:bg-raise aria-[current=page]:text-text max-sm:h-12 max-sm:min-w-0 max-sm:grow max-sm:flex-col max-sm:justify-center max-sm:gap-0.5 max-sm:bg-transparent! max-sm:px-1 max-sm:text-tiny'

/** The rooms: at the side on a desk, at the bottom on a phone, where the thumb is. */
export function Rail() {
  return (
    <nav
      aria-label={strings.mainNavigation}
      className="flex w-47 shrink-0 flex-col gap-0.5 border-e border-line px-2.5 py-3.5 max-sm:order-last max-sm:w-full max-sm:flex-row max-sm:gap-0 max-sm:border-e-0 max-sm:border-t max-sm:bg-panel max-sm:px-1 max-sm:pt-1 max-sm:pb-[max(4px,env(safe-area-inset-bottom))]"
    >
      <div className="flex items-center gap-2 px-2 pt-0.5 pb-3.5 text-[14px] font-semibold max-sm:hidden">
        <Brand />
        {strings.product}
      </div>
      {rooms.map(({ to, name, Icon, isForDesks }) => (
        <Link key={to} to={to} className={`${row} ${isForDesks ? 'max-sm:hidden' : ''}`}>
          <Icon size={16} className="shrink-0" aria-hidden />
          <span className="max-w-full truncate">{name}</span>
          {to === '/inbox' && <WaitingNumber />}
        </Link>
      ))}
      <button type="button" className={`${row} sm:hidden`} onClick={() => openWindow({ name: 'palette' })}>
        <Search size={16} className="shrink-0" aria-hidden />
        <span className="max-w-full truncate">{strings.palette.short}</span>
      </button>
      <div className="mt-auto px-2 max-sm:hidden">
        <LiveSignal />
      </div>
    </nav>
  )
}

/** The only thing on the page that may call. */
function WaitingNumber() {
  const total = useWaiting().data?.total ?? 0
  if (total === 0) return null
  return (
    <span className="ms-auto flex h-4.5 min-w-4.5 items-center justify-center rounded-full bg-wait px-1 text-tiny font-semibold text-[light-dark(var(--text),var(--ground))] tabular-nums max-sm:absolute max-sm:start-1/2 max-sm:top-0.5">
      <span aria-hidden>{total}</span>
      <span className="sr-only">{strings.waiting(total)}</span>
    </span>
  )
}
