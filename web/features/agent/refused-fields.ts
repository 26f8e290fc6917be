import { Refusal } from '../../api.ts'
import type { Problems } from '../approval/schema-content.ts'

const fieldsIn = (error: unknown): { field: string; reason: string }[] => {
  const told = error instanceof Refusal ? error.context['fields'] : undefined
  return Array.isArray(told) ? (told as { field: string; reason: string }[]) : []
}

/** What the server refused of arguments, by its path: `args.files.1` is about `files.1`. */
export const refusedFields = (error: unknown): Problems =>
  Object.fromEntries(
    fieldsIn(error).flatMap(({ field, reason }) =>
      field.startsWith('args.') ? [[field.slice('args.'.length), reason] as const] : [],
    ),
  )

/** Of a body: `commandTokens.2` is about `commandTokens`. */
export const refusedIn = (error: unknown): Problems =>
  Object.fromEntries(fieldsIn(error).map(({ field, reason }) => [field.split('.', 1)[0] ?? '', reason]))
