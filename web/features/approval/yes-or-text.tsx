import { approvalStrings } from '../../strings/approval.ts'
import { asText } from './as-text.ts'
import { fieldLook } from './field-look.ts'

interface Props {
  id: string
  disabled: boolean
  value: unknown
  onChange: (value: unknown) => void
}

/** Wanted, and perhaps with something to it: who writes something wants it. */
export function YesOrText({ id, disabled, value, onChange }: Props) {
  const isOn = value !== undefined && value !== false && value !== ''
  return (
    <span className="flex items-center gap-2">
      <input
        type="checkbox"
        aria-label={approvalStrings.yes}
        disabled={disabled}
        className="size-4 shrink-0 accent-(--text)"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
      />
      <input
        id={id}
        dir="auto"
        disabled={disabled}
        className={fieldLook}
        placeholder={approvalStrings.orNothing}
        value={typeof value === 'boolean' ? '' : asText(value)}
        onChange={(event) => onChange(event.target.value === '' ? isOn : event.target.value)}
      />
    </span>
  )
}
