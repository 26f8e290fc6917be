import { useId } from 'react'
import type { Problems } from '../approval/schema-content.ts'
import { Field, FieldProblem, problemOf } from '../approval/schema-field-row.tsx'
import type { SchemaField } from '../approval/schema-fields.ts'
import { visibleText } from '../approval/visible-text.ts'

interface Props {
  field: SchemaField
  value: unknown
  onChange: (value: unknown) => void
  isDisabled: boolean
  problems: Problems
}

/** One option of a command, as dense as a manual writes it: sixty of them are to be read through. */
export function OptionRow(props: Props) {
  const { field, value, onChange, isDisabled, problems } = props
  const problem = problemOf(field, problems)
  const { name, label, hint, flag, kind } = field
  const id = useId()
  const isSwitch = kind === 'yes-no'
  // As a manual has it: `--message, -m`. Others have a name that people say.
  const isWritten = label.startsWith('-')
  return (
    <div
      data-option={name}
      data-flag={flag}
      className="grid items-start gap-x-3 gap-y-0.5 border-b border-line py-1 sm:grid-cols-[160px_1fr]"
    >
      <label htmlFor={id} className={`flex min-w-0 items-center gap-3 ${isSwitch ? 'py-0.5' : 'py-1.5'}`}>
        {isSwitch && (
          <input
            id={id}
            type="checkbox"
            disabled={isDisabled}
            className="size-4 shrink-0 accent-(--text)"
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
          />
        )}
        <span
          className={`min-w-0 wrap-anywhere ${isSwitch ? '' : 'ps-7'} ${isWritten ? 'font-mono text-small' : ''}`}
        >
          <bdi dir={isWritten ? 'ltr' : 'auto'}>{visibleText(label)}</bdi>
          {!isWritten && flag !== undefined && (
            <bdi dir="ltr" className="block font-mono text-tiny text-mute">
              {flag}
            </bdi>
          )}
        </span>
      </label>
      <div className="flex min-w-0 flex-col gap-1">
        {!isSwitch && <Field {...props} id={id} problem={problem} />}
        {hint && (
          <p dir="auto" className={`text-small wrap-anywhere text-mute ${isSwitch ? 'py-0.5' : ''}`}>
            {visibleText(hint)}
          </p>
        )}
        {problem && <FieldProblem id={`${id}-problem`}>{problem}</FieldProblem>}
      </div>
    </div>
  )
}
