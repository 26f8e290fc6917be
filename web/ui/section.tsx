import type { ReactNode } from 'react'

interface Props {
  title: string
  hint?: string
  aside?: ReactNode
  children: ReactNode
}

/** A part of a page, with a line under its heading. */
export function Section({ title, hint, aside, children }: Props) {
  return (
    <section className="max-w-220" aria-label={title}>
      <div className="flex items-center gap-3">
        <h2 className="font-semibold">{title}</h2>
        <span className="ms-auto">{aside}</span>
      </div>
      {hint && <p className="text-small text-mute">{hint}</p>}
      <div className="mt-2 border-t border-line">{children}</div>
    </section>
  )
}
