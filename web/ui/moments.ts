const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** When something will be: `in 12 seconds`, `now`. */
export function soon(time: string, now = Date.now()): string {
  const seconds = Math.ceil((Date.parse(time) - now) / 1000)
  if (seconds <= 0) return 'now'
  return seconds < 120
    ? relative.format(seconds, 'second')
    : relative.format(Math.ceil(seconds / 60), 'minute')
}

/** How long something took, of which only the milliseconds are known. */
export const milliseconds = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
