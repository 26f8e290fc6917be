import type { ReactNode } from 'react'

interface Props {
  title: string
  hint?: string
  aside?: ReactNode
  children: ReactNode
}

/** A part of a section, with a line under its heading. */
export function Group({ title, hint, aside, children }: Props) {
  return (
    <section aria-label={title} className="mb-8">
      <div className="flex min-h-7 items-center gap-3">
        <h3 className="font-semibold">{title}</h3>
        <span className="ms-auto">{aside}</span>
      </div>
      {hint && <p className="max-w-160 text-small text-mute">{hint}</p>}
      <div className="mt-2 border-t border-line">{children}</div>
    </section>
  )
}
