const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** `1.5 GB`: two figures say enough. */
export function inBytes(bytes: number): string {
  let [value, unit] = [bytes, 0]
  for (; value >= 999.5 && unit < units.length - 1; unit += 1) value /= 1000
  return `${value < 9.95 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}
