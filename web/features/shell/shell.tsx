import { Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { connect } from '../../connection.ts'
import { fetchPartsWhenIdle } from '../../part.tsx'
import { strings } from '../../strings/page.ts'
import { Announcer } from '../../ui/announce.tsx'
import { Toasts } from '../../ui/toast.tsx'
import { takeEvents } from '../board/follow-board.ts'
import { useCalls } from '../notification/use-calls.ts'
import { useKeys } from './keys.ts'
import { LostBanner } from './live-signal.tsx'
import { Rail } from './rail.tsx'
import { rooms } from './rooms.ts'
import { openWindow, Windows } from './windows.tsx'

/** What stays while the rooms change. */
export function Shell() {
  const navigate = useNavigate()
  useEffect(() => connect(takeEvents), [])
  useEffect(fetchPartsWhenIdle, [])
  useCalls()
  useKeys({
    'mod+k': () => openWindow({ name: 'palette' }),
    n: () => openWindow({ name: 'newTask' }),
    c: () => openWindow({ name: 'newChat' }),
    '?': () => openWindow({ name: 'keys' }),
    ...Object.fromEntries(rooms.map(({ to, letter }) => [`g ${letter}`, () => void navigate({ to })])),
  })
  return (
    <div className="flex h-full max-sm:flex-col">
      <a
        href="#content"
        className="absolute -top-20 start-2 z-80 rounded-control bg-text px-3 py-1.5 text-ground focus:top-2"
        onClick={(event) => {
          event.preventDefault()
          document.querySelector<HTMLElement>('main')?.focus()
        }}
      >
        {strings.skipToContent}
      </a>
      <Rail />
      <main tabIndex={-1} className="relative flex min-h-0 min-w-0 grow flex-col outline-none">
        <Outlet />
        <div className="pointer-events-none absolute inset-x-4 bottom-4 z-70 flex flex-col gap-2">
          <Toasts />
          <LostBanner />
        </div>
      </main>
      <Windows />
      <Announcer />
    </div>
  )
}
