import { passwordsIn } from '#lib/address-password.ts'
import { secrecyOf } from '#lib/secret-words.ts'

/** Every secret in a tree: by the names of its keys, and the passwords of addresses. */
export function secretsIn(tree: unknown, name = ''): string[] {
  if (typeof tree === 'string') return secrecyOf(name) === 'none' ? passwordsIn(tree) : [tree]
  if (typeof tree !== 'object' || tree === null) return []
  return Object.entries(tree).flatMap(([key, value]) => secretsIn(value, Array.isArray(tree) ? name : key))
}
