import { ChevronDown, ChevronRight } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { discoveryStrings } from '../../strings/discovery.ts'
import { fieldLook } from '../approval/field-look.ts'
import { SchemaFieldRow, problemOf } from '../approval/schema-field-row.tsx'
import { schemaContent } from '../approval/schema-content.ts'
import type { Problems } from '../approval/schema-content.ts'
import { isGroup } from '../approval/schema-fields.ts'
import type { SchemaField, Values } from '../approval/schema-fields.ts'
import { OptionRow } from './option-row.tsx'

const words = discoveryStrings.run
/** Fewer options than these are not worth folding away. */
const fewOptions = 5
const manyOptions = 10

interface Props {
  fields: readonly SchemaField[]
  values: Values
  onChange: (name: string, value: unknown) => void
  isDisabled: boolean
  /** What was refused, by the name of its field. */
  problems: Problems
}

/** What is needed first, then the words that it takes; options are folded, and can be looked for. */
export function RunFields({ fields, values, onChange, isDisabled, problems }: Props) {
  const front = fields.filter(({ isNeeded, flag }) => isNeeded || flag === undefined)
  const options = fields.filter((field) => !front.includes(field))
  const propsOf = (field: SchemaField) => ({
    field,
    value: field.name in values ? values[field.name] : field.start,
    onChange: (value: unknown) => onChange(field.name, value),
    isDisabled,
    problems,
  })
  return (
    <>
      {fields.length === 0 && <p className="text-mute">{words.takesNothing}</p>}
      {front
        .toSorted((one, other) => Number(other.isNeeded) - Number(one.isNeeded))
        .map((field) => (
          <SchemaFieldRow key={field.name} {...propsOf(field)} />
        ))}
      {options.length > 0 && (
        <Options options={options} values={values} propsOf={propsOf} isBare={front.length === 0} />
      )}
    </>
  )
}

interface OptionsProps {
  options: readonly SchemaField[]
  values: Values
  propsOf: (field: SchemaField) => Parameters<typeof OptionRow>[0]
  /** There is nothing else to fill in. */
  isBare: boolean
}

function Options({ options, values, propsOf, isBare }: OptionsProps) {
  const [isUnfolded, setOpen] = useState(options.length < fewOptions || isBare)
  const isRefused = options.some((field) => problemOf(field, propsOf(field).problems))
  const isOpen = isUnfolded || isRefused
  const [sought, setSought] = useState('')
  const settled = useDeferredValue(sought.trim().toLowerCase())
  const fitting = options.filter(
    ({ name, label, hint, flag }) =>
      settled === '' || `${flag}\n${name}\n${label}\n${hint}`.toLowerCase().includes(settled),
  )
  const set = Object.values(schemaContent(options, values)).filter((value) => value !== false).length
  return (
    <section aria-label={words.more(options.length)}>
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex items-center gap-1 rounded-small py-1 pe-2 text-soft hover:text-text"
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? (
          <ChevronDown size={14} aria-hidden />
        ) : (
          <ChevronRight size={14} aria-hidden className="rtl:-scale-x-100" />
        )}
        {words.more(options.length)}
        {set > 0 && <span className="ms-2 text-small text-mute">{words.set(set)}</span>}
      </button>
      {isOpen && (
        <div className="flex flex-col gap-2 pt-1">
          {options.length > manyOptions && (
            <input
              type="search"
              dir="auto"
              className={fieldLook}
              value={sought}
              aria-label={words.findOption}
              placeholder={words.findOption}
              onChange={(event) => setSought(event.target.value)}
            />
          )}
          {fitting.length === 0 && <p className="text-soft">{words.noOption}</p>}
          <div className="flex flex-col">
            {fitting.map((field) =>
              isGroup(field) ? (
                <SchemaFieldRow key={field.name} {...propsOf(field)} />
              ) : (
                <OptionRow key={field.name} {...propsOf(field)} />
              ),
            )}
          </div>
        </div>
      )}
    </section>
  )
}
