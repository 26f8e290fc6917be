const minuteMs = 60_000

/** So many in any minute. What was not used is there for a burst. */
export function openRate(perMinute: number, now: () => number = () => performance.now()) {
  let left = perMinute
  let at = now()
  return {
    /** 0 when it may be; else the seconds to wait. */
    take(): number {
      const time = now()
      left = Math.min(perMinute, left + ((time - at) * perMinute) / minuteMs)
      at = time
      if (left >= 1) {
        left -= 1
        return 0
      }
      return Math.ceil(((1 - left) * minuteMs) / perMinute / 1000)
    },
  }
}
