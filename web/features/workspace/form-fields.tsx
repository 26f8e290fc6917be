import { Field } from '../../ui/field.tsx'
import { Misfit } from '../../ui/misfit-line.tsx'
import { fieldLook } from '../approval/field-look.ts'
import type { Written } from './workspace-body.ts'

type Text = {
  [Name in keyof Written]: Written[Name] extends string
    ? string extends Written[Name]
      ? Name
      : never
    : never
}[keyof Written]

export interface FormFields {
  written: Written
  misfits: Partial<Record<keyof Written, string>>
  write: (change: Partial<Written>) => void
}

interface Props extends FormFields {
  name: Text
  label: string
  hint?: string
  most?: number
  isLong?: boolean
  dir?: 'ltr'
}

/** A field of text that says at every key whether it fits; one that is still empty is not complained about. */
export function Line({
  written,
  misfits,
  write,
  name,
  label,
  hint,
  most = 4096,
  isLong = false,
  dir,
}: Props) {
  const text = written[name]
  const shared = {
    dir,
    value: text,
    maxLength: most,
    placeholder: hint,
    'aria-invalid': text !== '' && misfits[name] !== undefined,
    className: fieldLook,
  }
  return (
    <Field label={label}>
      {isLong ? (
        <textarea {...shared} rows={2} onChange={(event) => write({ [name]: event.target.value })} />
      ) : (
        <input {...shared} onChange={(event) => write({ [name]: event.target.value })} />
      )}
      {text !== '' && <Misfit reason={misfits[name]} />}
    </Field>
  )
}

/** The same for what is written from left to right in every language: paths, addresses, commands. */
export const Place = (props: Omit<Props, 'dir'>) => <Line {...props} dir="ltr" />
