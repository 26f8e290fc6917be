import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { approvalStrings as words } from '../../strings/approval.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { fieldLook } from './field-look.ts'
import { isEither, problemsWithin } from './schema-content.ts'
import type { Problems } from './schema-content.ts'
import type { SchemaField, Values } from './schema-fields.ts'
import { visibleText } from './visible-text.ts'

interface RowProps {
  field: SchemaField
  value: unknown
  onChange: (value: unknown) => void
  isDisabled: boolean
  problems: Problems
}

interface Props extends RowProps {
  /** One field of those within. */
  renderRow: (props: RowProps, key: string | number) => ReactNode
}

/** A field that has fields of its own: an object, a list of them, or one of several shapes. */
export function SchemaGroup(props: Props) {
  const { kind } = props.field
  if (kind === 'list') return <Entries {...props} />
  return kind === 'either' ? <Shapes {...props} /> : <Inner {...props} />
}

const edge = 'flex min-w-0 flex-col gap-3 border-s border-line ps-3'

function Inner({ field: { inner }, value, onChange, isDisabled, problems, renderRow }: Props) {
  const values = (typeof value === 'object' && value !== null ? value : {}) as Values
  return (
    <div className={edge}>
      {inner.map((field) =>
        renderRow(
          {
            field,
            value: field.name in values ? values[field.name] : field.start,
            onChange: (next) => onChange({ ...values, [field.name]: next }),
            isDisabled,
            problems,
          },
          field.name,
        ),
      )}
    </div>
  )
}

function Entries({ field: { inner }, value, onChange, isDisabled, problems, renderRow }: Props) {
  const entries = Array.isArray(value) ? (value as unknown[]) : []
  const [entry] = inner
  if (!entry) return null
  return (
    <div className={edge}>
      {entries.map((one, index) => {
        const number = index + 1
        const field = { ...entry, name: String(index), label: words.entry(number) }
        const put = (next: unknown) => onChange(entries.with(index, next))
        return (
          // oxlint-disable-next-line react/no-array-index-key -- an entry is known by its place alone
          <div key={index} className="flex items-start gap-1">
            <div className="min-w-0 grow">
              {renderRow({ field, value: one, onChange: put, isDisabled, problems }, number)}
            </div>
            <IconButton
              label={words.removeEntry(number)}
              disabled={isDisabled}
              onClick={() => onChange(entries.toSpliced(index, 1))}
            >
              <X size={14} aria-hidden />
            </IconButton>
          </div>
        )
      })}
      <Button className="self-start" disabled={isDisabled} onClick={() => onChange([...entries, undefined])}>
        {words.addEntry}
      </Button>
    </div>
  )
}

function Shapes({ field, value, onChange, isDisabled, problems, renderRow }: Props) {
  const { inner, label, isNeeded } = field
  const chosen = isEither(value) ? value : isNeeded ? { shape: 0, value: undefined } : undefined
  const shape = chosen && inner[chosen.shape]
  return (
    <div className={edge}>
      <select
        aria-label={words.shapeOf(visibleText(label))}
        className={fieldLook}
        disabled={isDisabled}
        value={chosen?.shape ?? -1}
        onChange={({ target }) =>
          onChange(target.value === '-1' ? undefined : { shape: Number(target.value), value: undefined })
        }
      >
        {!isNeeded && <option value={-1}>{words.choose}</option>}
        {inner.map((each, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a shape is known by its place alone
          <option key={index} value={index}>
            {visibleText(each.label)}
          </option>
        ))}
      </select>
      {chosen &&
        shape &&
        renderRow(
          {
            field: { ...shape, name: 'value', isNeeded: true },
            value: chosen.value,
            onChange: (next) => onChange({ shape: chosen.shape, value: next }),
            isDisabled,
            // What fits none of the shapes is told of the field as a whole.
            problems: problemsWithin(problems, 'value'),
          },
          chosen.shape,
        )}
    </div>
  )
}
