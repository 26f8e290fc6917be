import { Check } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useId } from 'react'
import type { ComponentProps, ReactNode } from 'react'

export const MenuRoot = DropdownMenu.Root
export const MenuTrigger = DropdownMenu.Trigger

const row =
  'flex items-center gap-2 rounded-small px-2 py-1.5 outline-none select-none data-[highlighted]:bg-raise data-[disabled]:opacity-50 max-sm:py-2.5'

export function MenuContent({ children, ...rest }: ComponentProps<typeof DropdownMenu.Content>) {
  return (
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        align="start"
        sideOffset={4}
        collisionPadding={8}
        loop
        className="z-60 max-h-(--radix-dropdown-menu-content-available-height) max-w-80 min-w-44 overflow-y-auto rounded-control border border-edge bg-panel p-1 shadow-float"
        {...rest}
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  )
}

export function MenuItem({ children, ...rest }: ComponentProps<typeof DropdownMenu.Item>) {
  return (
    <DropdownMenu.Item className={row} {...rest}>
      {children}
    </DropdownMenu.Item>
  )
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="px-2 py-1 text-small text-mute">{children}</DropdownMenu.Label>
}

export function MenuLine() {
  return <DropdownMenu.Separator className="-mx-1 my-1 h-px bg-line" />
}

interface Choice<Value> {
  value: Value
  label: ReactNode
}
interface ChoicesProps<Value> {
  /** What is chosen here; without it, the field that it stands in says so. */
  label?: string
  value: Value
  choices: Choice<Value>[]
  onChoose: (value: Value) => void
  children: ReactNode
}

/** A button that opens a list with one choice ticked: our select. */
export function Choices<Value extends string>({
  label,
  value,
  choices,
  onChoose,
  children,
}: ChoicesProps<Value>) {
  const [labelId, triggerId] = [useId(), useId()]
  return (
    <DropdownMenu.Root>
      {label && (
        <span id={labelId} hidden>
          {label}:
        </span>
      )}
      {/* Whoever speaks to the page says what is to be seen on the button: that is what is chosen. */}
      <DropdownMenu.Trigger
        asChild
        id={triggerId}
        aria-labelledby={label ? `${labelId} ${triggerId}` : triggerId}
      >
        {children}
      </DropdownMenu.Trigger>
      <MenuContent>
        <DropdownMenu.RadioGroup value={value}>
          {choices.map((choice) => (
            <DropdownMenu.RadioItem
              key={choice.value}
              value={choice.value}
              className={row}
              onSelect={() => choice.value !== value && onChoose(choice.value)}
            >
              {choice.label}
              <DropdownMenu.ItemIndicator className="ms-auto ps-3">
                <Check size={14} aria-hidden />
              </DropdownMenu.ItemIndicator>
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
      </MenuContent>
    </DropdownMenu.Root>
  )
}
