import { Refusal } from '../../api.ts'

/** Which of these arguments were refused, and why: `args.files.1` is about the field `files`. */
export function refusedFields(error: unknown, names: readonly string[]): Record<string, string> {
  const told = error instanceof Refusal ? error.context['fields'] : undefined
  if (!Array.isArray(told)) return {}
  const refused = (told as { field: string; reason: string }[]).flatMap(({ field, reason }) => {
    const name = names.find((each) => `${field}.`.startsWith(`args.${each}.`))
    return name === undefined ? [] : [[name, reason] as const]
  })
  return Object.fromEntries(refused)
}
