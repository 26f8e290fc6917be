import type { ReactNode } from 'react'

/** What is shown where nothing is yet: what this place is for, and the one next step. */
export function Empty({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className="flex grow flex-col items-center justify-center gap-3 px-6 pb-24 text-center">
      <svg viewBox="0 0 96 40" className="h-10 w-24" fill="none" strokeWidth="1.5" aria-hidden="true">
        <path d="M2 30h92" className="stroke-edge" />
        <path d="M14 26v8m17-8v8m17-8v8m17-8v8m17-8v8" className="stroke-edge" />
        <path d="M72 30V8" className="stroke-mute" />
        <circle cx="72" cy="6" r="4.5" className="fill-ground stroke-mute" />
      </svg>
      <h2 className="text-large font-semibold">{title}</h2>
      <p className="max-w-90 text-soft">{text}</p>
      <div>{children}</div>
    </div>
  )
}
