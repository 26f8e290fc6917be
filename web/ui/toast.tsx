import { X } from 'lucide-react'
import { strings } from '../strings/page.ts'
import { createStore, useStore } from '../store.ts'
import { IconButton } from './button.tsx'

interface Toast {
  id: number
  text: string
  isProblem: boolean
  action?: { label: string; run: () => void }
}

const toasts = createStore<Toast[]>([])
let nextId = 0

const drop = (id: number) => toasts.set((all) => all.filter((toast) => toast.id !== id))

/** Says something in the corner. A problem stays long enough to be read twice. */
export function toast(text: string, more: { isProblem?: boolean; action?: Toast['action'] } = {}): void {
  const { isProblem = false, action } = more
  nextId += 1
  const id = nextId
  toasts.set((all) => [
    ...all.filter((other) => other.text !== text).slice(-3),
    { id, text, isProblem, ...(action && { action }) },
  ])
  setTimeout(() => drop(id), isProblem ? 10_000 : 5000)
}

/** The text is in a live region that is always there: screen readers only notice changes within one. */
export function Toasts() {
  const all = useStore(toasts)
  return (
    <output className="flex w-90 max-w-full flex-col gap-2 self-end">
      {all.map(({ id, text, isProblem, action }) => (
        <div
          key={id}
          data-toast={isProblem ? 'problem' : 'note'}
          className="pointer-events-auto flex items-start gap-2 rounded-control border border-edge bg-panel py-2 ps-3 pe-1.5 shadow-float"
        >
          {isProblem && <span className="mt-1.5 size-2 shrink-0 rounded-[1.5px] bg-stop" aria-hidden />}
          <span dir="auto" className="min-w-0 grow wrap-anywhere py-0.5">
            {text}
          </span>
          {action && (
            <button
              type="button"
              className="shrink-0 rounded-small px-1.5 py-0.5 font-[550] hover:bg-raise"
              onClick={() => {
                drop(id)
                action.run()
              }}
            >
              {action.label}
            </button>
          )}
          <IconButton label={strings.close} className="-my-0.5" onClick={() => drop(id)}>
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
    </output>
  )
}
