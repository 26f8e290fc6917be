import type { Page } from 'playwright-core'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { freshPage, onStage } from './stage.ts'
import type { Stage } from './stage.ts'

const opens = 5
/** A tool with its result is four events, and what is said before it three. */
const long = Array.from(
  { length: 7_200 },
  (_, n) => `say Step ${n} of many.\ntool read_file src/part-${n}.ts`,
)

/** From the address of a session to its newest words on the screen, with nothing in the browser's cache. */
export default function transcript(): Promise<Figure[]> {
  const plays = { long: [...long, 'say The end.'].join('\n'), short: 'say Beginning.\nsay The end.' }
  return onStage(plays, async (stage) => {
    const [longId, shortId] = [await stage.perform('long'), await stage.perform('short')]
    const events = await written(stage, longId)
    await written(stage, shortId)
    const times: Record<'long' | 'short', number[]> = { long: [], short: [] }
    for (let n = 0; n < opens; n += 1)
      for (const [name, id] of [
        ['long', longId],
        ['short', shortId],
      ] as const) {
        const page = await freshPage(stage)
        times[name].push(await untilTheEnd(page, `${stage.box.url}/sessions/${id}`))
        await page.context().close()
      }
    return [
      { name: 'events of the long transcript', ours: events, unit: 'events', target: { least: 50_000 } },
      {
        name: 'a long transcript opens at its newest words, p50',
        ours: percentile(times.long, 0.5),
        unit: 'ms',
        target: { most: 1000 },
        peer: { name: 'one of two lines', value: percentile(times.short, 0.5) },
      },
    ]
  })
}

/** Waits until the agent has said everything; answers with how many events that were. */
async function written({ box }: Stage, sessionId: string): Promise<number> {
  for (const late = Date.now() + 300_000; Date.now() < late; await new Promise((r) => setTimeout(r, 500))) {
    const { body } = await box.call('GET', `/executions?sessionId=${sessionId}`)
    if (body.data[0]?.endedAt) {
      if (body.data[0].status !== 'succeeded') throw new Error(JSON.stringify(body.data[0]))
      return lastSeq(box, sessionId)
    }
  }
  throw new Error('The long turn did not end within five minutes')
}

async function lastSeq(box: Stage['box'], sessionId: string): Promise<number> {
  for (let after = 0; ; after += 10_000) {
    const { body } = await box.call('GET', `/sessions/${sessionId}/events?after=${after}&limit=1`)
    if (body.data.length === 0) return after
  }
}

async function untilTheEnd(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: 'commit' })
  await page.locator('[data-row=text]', { hasText: 'The end.' }).waitFor({ timeout: 60_000 })
  return page.evaluate(
    () => new Promise<number>((resolve) => requestAnimationFrame(() => resolve(performance.now()))),
  )
}
