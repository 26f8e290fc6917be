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
