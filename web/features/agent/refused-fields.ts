import { Refusal } from '../../api.ts'
import type { Problems } from '../approval/schema-content.ts'

/** What the server refused, by its path: `args.files.1` is about `files.1`. */
export function refusedFields(error: unknown): Problems {
  const told = error instanceof Refusal ? error.context['fields'] : undefined
  if (!Array.isArray(told)) return {}
  const refused = (told as { field: string; reason: string }[]).flatMap(({ field, reason }) =>
    field.startsWith('args.') ? [[field.slice('args.'.length), reason] as const] : [],
  )
  return Object.fromEntries(refused)
}
