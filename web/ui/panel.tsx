import type { ReactNode } from 'react'

interface Props {
  title: ReactNode
  hint?: ReactNode
  aside?: ReactNode
  /** What is in it has frames of its own. */
  isBare?: boolean
  children: ReactNode
}

/** A framed part of a page, with its name and what can be done with it in the line at its top. */
export function Panel({ title, hint, aside, isBare = false, children }: Props) {
  return (
    <section className={`min-w-0 ${isBare ? '' : 'rounded-panel border border-line bg-panel'}`}>
      <header
        className={`flex min-h-10 items-center gap-2.5 ps-3 pe-1.5 ${isBare ? '' : 'border-b border-line'}`}
      >
        <h2 className="font-semibold">{title}</h2>
        <span className="min-w-0 truncate text-small text-soft tabular-nums">{hint}</span>
        <span className="ms-auto flex shrink-0 items-center">{aside}</span>
      </header>
      {children}
    </section>
  )
}
