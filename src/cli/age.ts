const steps: [unit: string, seconds: number][] = [
  ['y', 31_536_000],
  ['mo', 2_592_000],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
]

/** How long ago, in its largest unit: `3m`, `5h`, `2d`. */
export function age(since: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(since)) / 1000)
  const step = steps.find(([, length]) => seconds >= length)
  return step ? `${Math.floor(seconds / step[1])}${step[0]}` : 'now'
}

/** How long something took, or takes so far: `40ms`, `1.2s`, `12s`, `3m 5s`, `2h 10m`. Nothing before it has begun. */
export function took(
  { startedAt, endedAt }: { startedAt: string | null; endedAt: string | null },
  now: number,
): string {
  if (startedAt === null) return ''
  const seconds = Math.max(0, ((endedAt ? Date.parse(endedAt) : now) - Date.parse(startedAt)) / 1000)
  if (seconds < 1) return `${Math.round(seconds * 1000)}ms`
  if (seconds < 10) return `${seconds.toFixed(1)}s`
  const whole = Math.floor(seconds)
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`
}
