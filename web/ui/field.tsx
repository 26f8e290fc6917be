import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Choices } from './menu.tsx'

/** A named part of a form. */
export function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    // The label holds what it names, whatever that is.
    <label className="flex flex-col items-start gap-1">
      <span className="text-small text-soft">{label}</span>
      {children}
    </label>
  )
}

interface PickProps<Value extends string> {
  value: Value
  choices: readonly Value[]
  nameOf: (value: Value) => string
  onChoose: (value: Value) => void
}

/** One of a few, in a menu. */
export function Pick<Value extends string>({ value, choices, nameOf, onChoose }: PickProps<Value>) {
  return (
    <Choices
      value={value}
      choices={choices.map((one) => ({ value: one, label: nameOf(one) }))}
      onChoose={onChoose}
    >
      <Button>
        {nameOf(value)}
        <ChevronDown size={14} className="text-mute" aria-hidden />
      </Button>
    </Choices>
  )
}
