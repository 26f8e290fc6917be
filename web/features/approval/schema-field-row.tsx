import { useId } from 'react'
import { approvalStrings } from '../../strings/approval.ts'
import { asText } from './as-text.ts'
import { fieldLook } from './field-look.ts'
import { problemsWithin } from './schema-content.ts'
import type { Problems } from './schema-content.ts'
import { isGroup } from './schema-fields.ts'
import type { SchemaField } from './schema-fields.ts'
import { SchemaGroup } from './schema-group.tsx'
import { visibleText } from './visible-text.ts'
import { YesOrText } from './yes-or-text.tsx'

interface Props {
  field: SchemaField
  value: unknown
  onChange: (value: unknown) => void
  isDisabled: boolean
  /** What does not fit, or was refused: of this field under its name, of what is in it under `name.inner`. */
  problems?: Problems | undefined
}

export function SchemaFieldRow(props: Props) {
  const { field, problems = {} } = props
  const id = useId()
  const problem = problemOf(field, problems)
  if (isGroup(field))
    return (
      <fieldset className="flex min-w-0 flex-col gap-1" data-field={field.name}>
        <legend dir="auto" className="mb-1 wrap-anywhere">
          {visibleText(field.label)}{' '}
          {field.isNeeded && <span className="ms-1 text-small text-mute">{approvalStrings.needed}</span>}
        </legend>
        <Hint>{field.hint}</Hint>
        <SchemaGroup
          {...props}
          problems={problemsWithin(problems, field.name)}
          renderRow={(inner, key) => <SchemaFieldRow key={key} {...inner} />}
        />
        {problem && <FieldProblem>{problem}</FieldProblem>}
      </fieldset>
    )
  return (
    <div className="flex min-w-0 flex-col gap-1" data-field={field.name}>
      <label htmlFor={id} dir="auto" className="wrap-anywhere">
        {visibleText(field.label)}{' '}
        {field.isNeeded && <span className="ms-1 text-small text-mute">{approvalStrings.needed}</span>}
      </label>
      <Field {...props} id={id} problem={problem} />
      <Hint>{field.hint}</Hint>
      {problem && <FieldProblem id={`${id}-problem`}>{problem}</FieldProblem>}
    </div>
  )
}

/** What is wrong with it as a whole; of a field that is one line or a list, also with what is in it. */
export function problemOf(field: SchemaField, problems: Problems): string | undefined {
  const own = problems[field.name]
  if (own !== undefined || isGroup(field)) return own
  const [inner] = Object.entries(problemsWithin(problems, field.name))
  return inner && approvalStrings.atEntry(...inner)
}

const Hint = ({ children }: { children: string }) =>
  children === '' ? null : (
    <p dir="auto" className="text-small wrap-anywhere text-mute">
      {visibleText(children)}
    </p>
  )

export const FieldProblem = ({ id, children }: { id?: string; children: string }) => (
  <p id={id} role="alert" className="text-small wrap-anywhere text-stop">
    {children}
  </p>
)

interface FieldProps extends Omit<Props, 'problems'> {
  id: string
  problem: string | undefined
}

export function Field({ id, field, value, onChange, isDisabled, problem }: FieldProps) {
  const { kind, choices, isNeeded } = field
  const common = {
    id,
    disabled: isDisabled,
    // Said, and not enforced by the browser: within an object that may be left out nothing is needed.
    'aria-required': isNeeded,
    ...(problem !== undefined && { 'aria-invalid': true, 'aria-describedby': `${id}-problem` }),
  }
  if (kind === 'yes-no')
    return (
      <span className="flex items-center gap-2">
        <input
          {...common}
          type="checkbox"
          className="size-4 accent-(--text)"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span className="text-soft">{approvalStrings.yes}</span>
      </span>
    )
  if (kind === 'yes-or-text')
    return <YesOrText id={id} disabled={isDisabled} value={value} onChange={onChange} />
  if (kind === 'one-of')
    return (
      <select
        {...common}
        className={fieldLook}
        value={choices.findIndex((choice) => choice.value === value)}
        onChange={(event) => onChange(choices[Number(event.target.value)]?.value ?? '')}
      >
        <option value={-1}>{approvalStrings.choose}</option>
        {choices.map(({ value: each, label }, index) => (
          <option key={String(each)} value={index}>
            {visibleText(label)}
          </option>
        ))}
      </select>
    )
  if (kind === 'some-of')
    return <SomeOf field={field} value={value} onChange={onChange} isDisabled={isDisabled} />
  const write = (event: { target: { value: string } }) => onChange(event.target.value)
  if (kind === 'lines' || kind === 'json' || kind === 'several')
    return (
      <textarea
        {...common}
        dir="auto"
        rows={kind === 'several' ? 1 : 3}
        className={`${fieldLook} ${looks[kind]}`}
        placeholder={approvalStrings.written[kind]}
        value={kind === 'several' && Array.isArray(value) ? value.map(asText).join('\n') : asText(value)}
        onChange={write}
      />
    )
  const isNumber = kind === 'number' || kind === 'integer'
  return (
    <input
      {...common}
      dir="auto"
      type={isNumber ? 'number' : 'text'}
      step={kind === 'number' ? 'any' : undefined}
      className={fieldLook}
      value={asText(value)}
      onChange={write}
    />
  )
}

const looks = {
  lines: '',
  json: 'font-mono text-small',
  several: 'max-h-60 resize-none field-sizing-content',
}

function SomeOf({ field: { choices }, value, onChange, isDisabled }: Omit<Props, 'problems'>) {
  const chosen = Array.isArray(value) ? (value as unknown[]) : []
  return (
    <div className="flex flex-col gap-1">
      {choices.map(({ value: each, label }) => (
        <label key={String(each)} className="flex items-baseline gap-2">
          <input
            type="checkbox"
            disabled={isDisabled}
            className="accent-(--text)"
            checked={chosen.includes(each)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, each] : chosen.filter((other) => other !== each))
            }
          />
          <bdi>{visibleText(label)}</bdi>
        </label>
      ))}
    </div>
  )
}
