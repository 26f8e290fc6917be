const first = 100
const longest = 5_000
const healthyAfter = 1_000

/** Answers how long to wait before the next start of something that lived `livedMs`; 0 when it never came to serve. */
export function newBackoff(): (livedMs: number) => number {
  let delay = first
  return (livedMs) => {
    const next = livedMs >= healthyAfter ? first : delay
    delay = Math.min(next * 2, longest)
    return next
  }
}
