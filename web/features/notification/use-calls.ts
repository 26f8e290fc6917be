import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { tellWaiting } from '../../page-title.ts'
import { useWaiting } from '../approval/waiting.ts'
import './install.ts'
import { wantsNotifications } from './preference.ts'

/** Says in the tab how much waits; and where that is wanted, by a notification, when nobody looks at the page. */
export function useCalls(): void {
  const { data } = useWaiting()
  const navigate = useNavigate()
  const known = useRef<ReadonlySet<string>>(undefined)

  useEffect(() => {
    if (!data) return
    tellWaiting(data.total)
    const isNew = known.current !== undefined && data.rows.some(({ id }) => !known.current?.has(id))
    const was = known.current
    known.current = new Set(data.rows.map(({ id }) => id))
    if (!wantsNotifications()) return
    if (data.total === 0 ? (was?.size ?? 0) > 0 : isNew && document.hidden)
      void import('./notify.ts').then(
        ({ notify }) => notify(data, () => void navigate({ to: '/inbox' })),
        () => {}, // the page is older than the server: its title tells all the same
      )
  }, [data, navigate])

  useEffect(() => {
    const hear = ({ data: told }: MessageEvent) => void (told === 'inbox' && navigate({ to: '/inbox' }))
    navigator.serviceWorker?.addEventListener('message', hear)
    return () => navigator.serviceWorker?.removeEventListener('message', hear)
  }, [navigate])
}
