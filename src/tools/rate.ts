import { CallFailed } from './port.ts'

/** A minute that begins anywhere touches this many seconds. */
const touched = 61

export type Rate = ReturnType<typeof openRate>

/** So many calls in any minute. */
export function openRate(source: string, most: number, now: () => number = Date.now) {
  let perMinute = most
  /** How many there were in each of the last seconds, by the second modulo their number. */
  const seconds = new Uint32Array(touched)
  let total = 0
  let latest = Math.floor(now() / 1000)

  function moveTo(second: number) {
    const passed = Math.min(second - latest, touched)
    for (let step = 1; step <= passed; step += 1) {
      const place = (second - passed + step) % touched
      total -= seconds[place] ?? 0
      seconds[place] = 0
    }
    latest = Math.max(latest, second)
  }

  const secondsToWait = () => {
    for (let wait = 1; wait < touched; wait += 1)
      if ((seconds[(latest + wait) % touched] ?? 0) > 0) return wait
    return touched
  }

  return {
    /** From now on so many, counted with those that there were. */
    allow(most: number): void {
      perMinute = most
    },
    /** Counts one more. Throws CallFailed `too_many_calls` when that is one too many, which is not counted. */
    take(): void {
      moveTo(Math.floor(now() / 1000))
      if (total >= perMinute) {
        const retryAfterSec = secondsToWait()
        throw new CallFailed(
          'too_many_calls',
          `${source} may be called ${perMinute} times a minute, by all together. Try again in ${retryAfterSec} s.`,
          { isUnsent: true, context: { limit: perMinute, retryAfterSec } },
        )
      }
      const place = latest % touched
      seconds[place] = (seconds[place] ?? 0) + 1
      total += 1
    },
  }
}
