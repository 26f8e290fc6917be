// Appends events at a steady rate, as a worker that copies agents' output does.
import { BOARD_STREAM } from '#contract/event.ts'
import { openPool } from '#db/pool.ts'
import { openAppender } from '#events/appender.ts'

const [url = '', perSecond = '0', seconds = '0'] = process.argv.slice(2)
const pool = openPool(url, { max: 2 })
const appender = openAppender(pool)
const total = Number(perSecond) * Number(seconds)
const started = performance.now()
const acknowledged: Promise<void>[] = []
let sent = 0

while (sent < total) {
  const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * Number(perSecond)))
  const at = performance.timeOrigin + performance.now()
  const events = Array.from({ length: due - sent }, (_, index) => ({
    type: 'bench',
    payload: { at, n: sent + index, text: 'what an agent says in one breath, more or less' },
  }))
  if (events.length > 0) acknowledged.push(appender.append(BOARD_STREAM, events))
  sent = due
  await new Promise((resolve) => setTimeout(resolve, 2))
}
await Promise.all(acknowledged)
process.send?.(
  { events: sent, seconds: (performance.now() - started) / 1000 },
  () => void pool.close().then(() => process.disconnect()),
)
