import { BadPart, shown } from './document.ts'

const longest = 200

/** Names for the operations of one document: by `operationId`, else by method and path. Each is given once. */
export function operationNames() {
  const taken = new Set<string>()
  return {
    /** Throws BadPart, if there is none left. */
    take(operationId: string | undefined, method: string, path: string): { given: string; told?: string } {
      const byId = operationId === undefined ? '' : spelled(operationId)
      const byPath = spelled(`${method}_${path}`)
      const given = [byId, byPath].find((name) => name && !taken.has(name))
      if (!given) throw new BadPart(`its name ${shown(byPath)} is taken by another operation`)
      taken.add(given)
      if (!byId || given === byId) return { given }
      return {
        given,
        told: `called ${given}, for the operationId ${shown(operationId!)} is taken by another operation`,
      }
    },
  }
}

const spelled = (text: string) =>
  text
    .replaceAll(/[^a-z0-9_-]+/gi, '_')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, longest)
