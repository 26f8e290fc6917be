const steps: [unit: Intl.RelativeTimeFormatUnit, short: string, seconds: number][] = [
  ['year', 'y', 31_536_000],
  ['month', 'mo', 2_592_000],
  ['day', 'd', 86_400],
  ['hour', 'h', 3600],
  ['minute', 'min', 60],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** How old something is, as short as it goes: `5 min`, `3 d`. */
export function age(time: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000)
  const step = steps.find(([, , size]) => seconds >= size)
  return step ? `${Math.floor(seconds / step[2])} ${step[1]}` : 'now'
}

/** The same in words: `5 minutes ago`. */
export function ago(time: string, now = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1000
  const step = steps.find(([, , size]) => seconds >= size)
  return step ? relative.format(-Math.floor(seconds / step[2]), step[0]) : 'just now'
}

export const dateAndTime = (time: string) => full.format(new Date(time))

/** How long something took, or takes so far: `40 ms`, `1.2 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(from: string, to: string | null, now: number): string {
  const seconds = Math.max(0, ((to ? Date.parse(to) : now) - Date.parse(from)) / 1000)
  if (to && seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (to && seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.floor(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
