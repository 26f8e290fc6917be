import type { Capability } from '../../../src/contract/capability.ts'

/** Those that have all of these words, and first of them what begins with what was written. */
export function fittingCapabilities<Each extends Pick<Capability, 'key' | 'label'>>(
  capabilities: readonly Each[],
  sought: string,
): Each[] {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean)
  const fitting = capabilities.filter(({ key, label }) => {
    const told = `${key}\n${label}`.toLowerCase()
    return words.every((word) => told.includes(word))
  })
  const first = words[0]
  if (first === undefined) return fitting
  const begins = ({ key }: Each) => Number(key.startsWith(first))
  return fitting.toSorted((one, other) => begins(other) - begins(one) || one.key.length - other.key.length)
}
