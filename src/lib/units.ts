const milliseconds: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const bytes: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 }

/** `30s`, `5m`, `24h` or a plain number of milliseconds; undefined when it is none of these. */
export function parseDuration(value: unknown): number | undefined {
  return inUnits(value, (unit) => milliseconds[unit])
}

/** `128MB`, `5GB`, `64KiB` or a plain number of bytes; undefined when it is none of these. 1 KB is 1024 bytes. */
export function parseSize(value: unknown): number | undefined {
  return inUnits(value, (unit) => bytes[unit.toUpperCase().replace(/^([KMGT])(IB)?$/, '$1B')])
}

/** The shortest exact form: 30000 → `30s`. */
export const formatDuration = (ms: number): string => shortest(ms, milliseconds)

/** The shortest exact form: 134217728 → `128MB`. */
export const formatSize = (size: number): string => shortest(size, bytes)

function inUnits(value: unknown, factorOf: (unit: string) => number | undefined): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
  if (typeof value !== 'string') return undefined
  const [, digits, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(value) ?? []
  if (digits === undefined || unit === undefined) return undefined
  const factor = unit === '' ? 1 : factorOf(unit)
  const result = factor === undefined ? Number.NaN : Math.round(Number(digits) * factor)
  return Number.isSafeInteger(result) ? result : undefined
}

function shortest(amount: number, factors: Record<string, number>): string {
  const fitting = Object.entries(factors).findLast(([, factor]) => amount > 0 && amount % factor === 0)
  return fitting ? `${amount / fitting[1]}${fitting[0]}` : String(amount)
}
