import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Execution } from '#contract/execution.ts'
import { fillTranscript, longWork } from '../support/long-transcript.ts'
import { openBoard } from './browser.ts'
import { openTalking } from './talking.ts'

let databaseUrl = ''
const { house, ask } = openTalking({}, async (url) => {
  databaseUrl = url
})
const patience = { timeout: 20_000 }
const steps = 5000

/** A conversation of fifty thousand events, which is still going on. */
async function longOne(): Promise<Execution> {
  const execution = await ask('say the very first\nstall')
  await expect
    .poll(
      async () => (await house.signalbox.call('GET', `/executions/${execution.id}`)).body.data.status,
      patience,
    )
    .toBe('running')
  await fillTranscript(databaseUrl, execution, longWork(steps * 10))
  return execution
}

const inSight = (page: Page) =>
  page.locator('[data-transcript]').evaluate((it) => {
    const { top } = it.getBoundingClientRect()
    const rows = [...it.querySelectorAll<HTMLElement>('[data-row=text]')]
    const first = rows.find((row) => row.getBoundingClientRect().bottom > top + 60)
    return [first?.textContent, Math.round((first?.getBoundingClientRect().top ?? 0) - top)]
  })

it('opens at the newest of fifty thousand events, reads back to the first without a gap, and keeps the place of who reads', async () => {
  const execution = await longOne()
  const { page, complaints } = await openBoard(house, `/sessions/${execution.sessionId}`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.locator('[data-row=text]', { hasText: `Step ${steps - 1}:` }).waitFor(patience)
  expect(await page.locator('[data-row]').count()).toBeLessThan(80)
  // Nothing but the newest has been read.
  expect(asked.filter((url) => url.includes('/events?')).length).toBeLessThanOrEqual(2)

  const scroller = page.locator('[data-transcript]')
  await scroller.evaluate((it) => it.scrollBy(0, -400))
  await page.getByRole('button', { name: 'Jump to the end' }).waitFor()
  const before = await inSight(page)
  expect(before[0]).toMatch(/^Step 49\d\d:/)
  await fillTranscript(databaseUrl, execution, [
    ['text-delta', { id: 'late', delta: 'Said while somebody reads' }],
  ])
  await page.getByRole('button', { name: 'Something new below' }).waitFor(patience)
  expect(await inSight(page)).toEqual(before)

  // What comes in above does not move what is read.
  const answered = Promise.withResolvers<void>()
  await page.route('**/events?*', async (route) => {
    await answered.promise
    await route.continue()
  })
  await scroller.evaluate(async (it) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    for (; it.scrollTop > 1000; await frame()) it.scrollBy({ top: -100, behavior: 'instant' })
    for (let settling = 0; settling < 20; settling += 1) await frame()
  })
  await page.locator('[data-earlier=reading]').waitFor({ state: 'attached' })
  const reading = await inSight(page)
  answered.resolve()
  await expect.poll(() => scroller.evaluate((it) => it.scrollTop), patience).toBeGreaterThan(5000)
  expect(await inSight(page)).toEqual(reading)
  await page.unroute('**/events?*')

  // Up to the first, and every step is there once.
  await expect
    .poll(
      async () => {
        await scroller.evaluate((it) => (it.scrollTop = 0))
        return page.locator('[data-earlier]').count()
      },
      { timeout: 50_000, interval: 200 },
    )
    .toBe(0)
  // Reading the last of it has kept the place once more.
  await scroller.evaluate((it) => (it.scrollTop = 0))
  await page.locator('[data-row=message]', { hasText: 'the very first' }).waitFor(patience)
  await page.getByText('the very first', { exact: true }).waitFor()
  for (const part of [0.9, 0.5, 0.25]) {
    await scroller.evaluate((it, at) => (it.scrollTop = it.scrollHeight * at), part)
    const seen = async () =>
      (await page.locator('[data-row=text]').allTextContents()).map((text) =>
        Number(/^Step (\d+):/.exec(text)?.[1] ?? Number.NaN),
      )
    await expect.poll(async () => (await seen())[0], patience).toBeGreaterThan(steps * part * 0.8)
    const numbers = await seen()
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index))
  }
  await page.getByRole('button', { name: 'Something new below' }).click()
  await page.locator('[data-row=text]', { hasText: 'Said while somebody reads' }).waitFor()
  expect(complaints).toEqual([])
})

it('lets go of what is far above while much is said, and reads it again when somebody goes there', async () => {
  const execution = await longOne()
  const { page, complaints } = await openBoard(house, `/sessions/${execution.sessionId}`)
  await page.locator('[data-row=text]', { hasText: `Step ${steps - 1}:` }).waitFor(patience)
  const heap = async () => {
    const session = await page.context().newCDPSession(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    await session.detach()
    return usedSize / 1_000_000
  }
  const before = await heap()
  const sizes: number[] = []
  // Two hundred thousand events, as an hour of much work.
  for (let round = 0; round < 8; round += 1) {
    const said = longWork(25_000).map(
      ([type, payload]) =>
        [
          type,
          JSON.parse(JSON.stringify(payload).replaceAll(/(said|thought|call)-(\d+)/g, `$1-${round}-$2`)),
        ] as [string, object],
    )
    await fillTranscript(databaseUrl, execution, [
      ...said,
      ['data-notice', { text: `Round ${round} is over` }],
    ])
    await page.getByText(`Round ${round} is over`).waitFor({ timeout: 50_000 })
    sizes.push(await heap())
  }
  expect(await page.locator('[data-row]').count()).toBeLessThan(80)
  // What is kept is bounded: the last rounds take no more than the first ones.
  expect(Math.max(...sizes.slice(4)) - Math.max(...sizes.slice(0, 4))).toBeLessThan(15)
  expect(Math.max(...sizes) - before).toBeLessThan(120)
  await page.locator('[data-transcript]').evaluate((it) => (it.scrollTop = 0))
  await page.locator('[data-earlier]').waitFor({ state: 'attached', ...patience })
  expect(complaints).toEqual([])
}, 240_000)
