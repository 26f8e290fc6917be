import { useId } from 'react'
import type { ReactNode } from 'react'
import { fieldLook } from '../approval/field-look.ts'
import { FieldProblem } from '../approval/schema-field-row.tsx'

interface Props {
  label: string
  hint?: string | undefined
  problem?: string | undefined
  value: string
  onChange: (value: string) => void
  /** Of how many lines at first; without it, it is one and stays one. */
  rows?: number
  isMono?: boolean
  isNumber?: boolean
  isDisabled?: boolean
  placeholder?: string
}

/** One thing that can be written, with what is wrong with it below. */
export function EditField(props: Props) {
  const { label, hint, problem, value, onChange, rows, isMono = false, isNumber = false } = props
  const id = useId()
  const common = {
    id,
    dir: isMono ? 'ltr' : 'auto',
    disabled: props.isDisabled,
    value,
    placeholder: props.placeholder,
    'aria-invalid': problem ? true : undefined,
    className: `${fieldLook} ${isMono ? 'font-mono text-small' : ''} ${rows ? 'max-h-[45dvh] field-sizing-content resize-y' : ''}`,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  } as const
  return (
    <Labelled id={id} label={label} hint={hint} problem={problem}>
      {rows ? (
        <textarea {...common} rows={rows} spellCheck={!isMono} />
      ) : (
        <input {...common} inputMode={isNumber ? 'decimal' : undefined} />
      )}
    </Labelled>
  )
}

interface LabelledProps extends Pick<Props, 'label' | 'hint' | 'problem'> {
  id?: string
  children: ReactNode
}

export const Labelled = ({ id, label, hint, problem, children }: LabelledProps) => (
  <div className="flex min-w-0 flex-col items-start gap-1">
    <label htmlFor={id} className="text-small text-soft">
      {label}
    </label>
    {children}
    {hint && <p className="text-small text-mute">{hint}</p>}
    {problem && <FieldProblem>{problem}</FieldProblem>}
  </div>
)
