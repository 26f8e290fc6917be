import type { ReactNode } from 'react'

export function Section({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section className="border-t border-line px-2 pt-3">
      <h3 className="flex items-center gap-2 pb-1 text-small font-semibold text-soft">
        {title}
        {count !== undefined && count > 0 && <span className="font-medium text-mute">{count}</span>}
      </h3>
      {children}
    </section>
  )
}
