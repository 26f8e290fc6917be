const units = ['KB', 'MB', 'GB', 'TB']

/** A size as people say it: `512 B`, `3.4 KB`, `120 MB`. 1 KB is 1024 bytes. */
export function bytes(size: number): string {
  if (size < 1024) return `${size} B`
  let amount = size / 1024
  let unit = 0
  while (amount >= 1000 && unit < units.length - 1) {
    amount /= 1024
    unit += 1
  }
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`
}
