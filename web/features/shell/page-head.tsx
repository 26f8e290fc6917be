import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { strings } from '../../strings/page.ts'
import { namePage } from '../../page-title.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { LiveSignal } from './live-signal.tsx'
import { openWindow } from './windows.tsx'

let hasShownRoom = false

/** The line at the top of every room: its name, what can be done in it, and the way to everything else. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => namePage(title), [title])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const { activeElement } = document
    // Whoever comes from another room begins at the top of this one, unless something here has the focus already.
    if (hasShownRoom && !activeElement?.closest('main, [role=dialog]'))
      heading.current?.focus({ preventScroll: true })
    hasShownRoom = true
  }, [])
  return (
    <header className="flex shrink-0 items-center gap-2 px-5.5 py-3 max-sm:flex-wrap max-sm:px-4 max-sm:py-2.5">
      <h1
        ref={heading}
        tabIndex={-1}
        className="me-1 outline-none text-large font-semibold max-sm:w-full max-sm:pe-24"
      >
        {title}
      </h1>
      <span className="absolute end-4 top-3.5 sm:hidden">
        <LiveSignal />
      </span>
      {children}
      <button
        type="button"
        className="ms-auto flex h-7 w-60 min-w-0 shrink items-center gap-2 rounded-control border border-line px-2 text-mute hover:border-edge hover:text-text max-sm:hidden"
        onClick={() => openWindow({ name: 'palette' })}
      >
        <span className="truncate">{strings.palette.open}</span>
        <Kbd keys="mod K" className="ms-auto" />
      </button>
    </header>
  )
}
