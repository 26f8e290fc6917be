import type { ReactNode } from 'react'

export function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex gap-3.5 max-sm:flex-col max-sm:gap-2">
      <span
        className="flex size-6 shrink-0 items-center justify-center rounded-full border border-edge text-small text-soft tabular-nums max-sm:hidden"
        aria-hidden
      >
        {number}
      </span>
      <div className="flex min-w-0 grow flex-col gap-2">
        <h3 className="pt-0.5 font-semibold">{title}</h3>
        {children}
      </div>
    </section>
  )
}

/** One of a few, as a line that can be pressed anywhere. */
export function Choice({
  name,
  value,
  isChosen,
  isDisabled = false,
  onChoose,
  children,
}: {
  name: string
  value: string
  isChosen: boolean
  isDisabled?: boolean
  onChoose: (value: string) => void
  children: ReactNode
}) {
  return (
    <label
      data-choice={value}
      className={`flex min-h-12 items-start gap-3 border-b border-line px-3 py-2.5 last:border-b-0 has-[:focus-visible]:bg-raise ${isDisabled ? '' : 'cursor-pointer hover:bg-raise'} ${isChosen ? 'bg-raise' : ''}`}
    >
      <input
        type="radio"
        name={name}
        value={value}
        checked={isChosen}
        disabled={isDisabled}
        className="mt-0.5 size-4 shrink-0 accent-(--text)"
        onChange={() => onChoose(value)}
      />
      <span className="min-w-0 grow">{children}</span>
    </label>
  )
}

export const choicesLook = 'overflow-hidden rounded-card border border-edge bg-panel'
