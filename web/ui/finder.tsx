import { Command } from 'cmdk'
import { Check } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useId, useState } from 'react'
import type { ComponentProps, ReactNode } from 'react'

interface Props {
  label: string
  placeholder: string
  /** The button that opens it; without one of its own, its name is the label. */
  children: ReactNode
  /** Of many nobody means the first: they begin with looking for one. */
  startsOpen?: boolean
  /** What fits the text, as FinderRow; `choose` closes the list, then does it. */
  renderRows: (text: string, choose: (act: () => void) => void) => ReactNode
  foot?: ReactNode
}

/** A list behind a button, in which one thing is found by a part of its name. */
export function Finder({ label, placeholder, children, startsOpen = false, renderRows, foot }: Props) {
  const [isOpen, setOpen] = useState(startsOpen)
  const [labelId, triggerId] = [useId(), useId()]
  const choose = (act: () => void) => {
    setOpen(false)
    act()
  }
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <span id={labelId} hidden>
        {label}
      </span>
      {/* Whoever speaks to the page says what is to be seen on the button. */}
      <Popover.Trigger asChild id={triggerId} aria-labelledby={`${labelId} ${triggerId}`}>
        {children}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          className="z-60 flex max-h-[min(26rem,var(--radix-popover-content-available-height))] w-110 max-w-[calc(100vw-16px)] flex-col overflow-hidden rounded-control border border-edge bg-panel shadow-float"
        >
          <Found label={label} placeholder={placeholder} renderRows={(text) => renderRows(text, choose)} />
          {foot}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** Its text begins anew whenever it is opened. */
function Found({
  label,
  placeholder,
  renderRows,
}: Pick<Props, 'label' | 'placeholder'> & { renderRows: (text: string) => ReactNode }) {
  const [text, setText] = useState('')
  return (
    <Command shouldFilter={false} loop label={label} className="flex min-h-0 flex-col">
      <Command.Input
        dir="auto"
        value={text}
        maxLength={200}
        onValueChange={setText}
        placeholder={placeholder}
        className="h-9 shrink-0 border-b border-line bg-transparent px-3 outline-none max-sm:text-[16px]"
      />
      <Command.List className="min-h-0 overflow-y-auto p-1">{renderRows(text)}</Command.List>
    </Command>
  )
}

type RowProps = ComponentProps<typeof Command.Item> & { isChosen?: boolean }

export function FinderRow({ isChosen = false, children, ...rest }: RowProps) {
  return (
    <Command.Item
      className="flex items-center gap-2 rounded-small px-2 py-1.5 data-[disabled=true]:opacity-50 data-[selected=true]:bg-raise max-sm:py-2.5"
      {...rest}
    >
      {children}
      {isChosen && <Check size={14} className="ms-auto shrink-0" aria-hidden />}
    </Command.Item>
  )
}

/** Says why there is nothing, or that there is more. */
export const FinderNote = ({ children, isProblem = false }: { children: ReactNode; isProblem?: boolean }) => (
  <p className={`px-2 py-1.5 wrap-anywhere ${isProblem ? 'text-stop' : 'text-mute'}`}>{children}</p>
)
