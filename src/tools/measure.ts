export interface Measured {
  /** About as many characters as its JSON would have. Counted no further than `most`. */
  size: number
  /** How deep it is nested. Counted no further than `deepest`. */
  depth: number
  /** It has been counted to its end. */
  isWhole: boolean
}

/** How large a value is, without making its JSON, and whoever wrote it: no depth overflows the stack, and nothing is counted in vain. */
export function measure(value: unknown, { most, deepest }: { most: number; deepest: number }): Measured {
  let size = 0
  let depth = 0
  let level: unknown[] = [value]
  while (level.length > 0) {
    const next: unknown[] = []
    for (const part of level) {
      size += typeof part === 'string' ? part.length + 2 : 4
      if (typeof part === 'object' && part !== null) size += take(part, next, most - size)
      if (size > most) return { size, depth, isWhole: false }
    }
    depth += 1
    if (depth > deepest) return { size, depth, isWhole: false }
    level = next
  }
  return { size, depth, isWhole: true }
}

/** Whether something in it is nested deeper than so many levels. Looks no deeper than that, and at nothing that has no inside. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    // One call for each level: a thousand are nothing.
    for (const part of value) if (isDeeperThan(part, levels - 1)) return true
    return false
  }
  for (const key in value) if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true
  return false
}

/** Adds what is inside to the list, as far as there is room, and answers with the size of the keys. */
function take(part: object, into: unknown[], room: number): number {
  if (Array.isArray(part)) {
    // Not by spreading: an array of a million elements is more arguments than a function takes.
    for (let at = 0; at < part.length && at < room; at += 1) into.push(part[at])
    return part.length
  }
  let size = 0
  // Not by entries: of a million keys it would make a million pairs before the first is looked at.
  for (const key in part) {
    size += key.length + 4
    into.push((part as Record<string, unknown>)[key])
    if (size > room) break
  }
  return size
}
