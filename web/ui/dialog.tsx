import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { strings } from '../strings/page.ts'
import { IconButton } from './button.tsx'

interface Props {
  title: string
  onClose: () => void
  children: ReactNode
  /** The title is for screen readers only; the content speaks for itself. */
  hidesTitle?: boolean
  className?: string
}

/** The field that is there to be filled in, or the window itself: never the button that closes it. */
function focusFirst(event: Event): void {
  event.preventDefault()
  if (!(event.target instanceof HTMLElement)) return
  const field = event.target.querySelector<HTMLElement>('input, textarea')
  ;(field ?? event.target).focus()
}

/** A modal window that is open for as long as it is rendered. Focus goes back to where it was, if nobody else took it. */
export function Dialog({ title, onClose, children, hidesTitle = false, className = 'w-120' }: Props) {
  const [before] = useState(() => document.activeElement)
  const giveBack = (event: Event) => {
    event.preventDefault()
    if (document.activeElement === document.body && before instanceof HTMLElement) before.focus()
  }
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusFirst}
          onCloseAutoFocus={giveBack}
          className={`fixed inset-x-0 top-[12dvh] z-50 mx-auto flex max-h-[76dvh] max-w-[calc(100vw-24px)] flex-col overflow-hidden rounded-panel outline-none border border-edge bg-panel shadow-float max-sm:top-3 ${className}`}
        >
          <div className={hidesTitle ? 'sr-only' : 'flex items-center gap-2 py-2.5 ps-4 pe-2.5'}>
            <Radix.Title className="text-large font-semibold">{title}</Radix.Title>
            {!hidesTitle && (
              <Radix.Close asChild>
                <IconButton label={strings.close} className="ms-auto">
                  <X size={16} aria-hidden />
                </IconButton>
              </Radix.Close>
            )}
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
