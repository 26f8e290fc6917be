import { Problem } from '#domain/problem.ts'

/** A field of a source that cannot be kept, or used, and why. */
export function badSource(field: string, reason: string): Problem {
  return new Problem('bad_source', `The source does not fit: config.${field}: ${reason}`, {
    in: 'body',
    fields: [{ field: `config.${field}`, reason }],
  })
}
