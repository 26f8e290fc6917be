import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { fillTracks } from '../support/tracks-filled.ts'
import { openBoard, openHouse } from './browser.ts'

const house = openHouse((databaseUrl) => fillTracks(databaseUrl, 100, 300))

/** Milliseconds that the page's main thread has computed: how busy the machine is otherwise does not matter. */
async function mainThread(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? NaN) * 1000
  }
}

it('draws only the tracks in sight of a hundred that all work, and scrolls through them smoothly', async () => {
  const { page, complaints } = await openBoard(house, '/')
  const rows = page.locator('[data-tracks] [data-track]')
  await rows.first().waitFor()
  expect(await page.locator('[data-figure=working] b').textContent()).toBe('100')
  expect(await rows.count()).toBeLessThan(50)
  const calls = await rows.first().locator('path[data-line=calls]').getAttribute('d')
  expect(calls!.split('M').length - 1).toBeGreaterThan(200)

  const spent = await mainThread(page)
  const before = await spent()
  await page.evaluate(`(async () => {
    const list = document.querySelector('[data-tracks]')
    for (let frame = 0; frame < 120; frame += 1) {
      list.scrollTop += 30
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  })()`)
  // Sixty in a second.
  expect(((await spent()) - before) / 120).toBeLessThan(1000 / 60)
  expect(await page.locator('[data-tracks]').evaluate((list) => list.scrollTop)).toBeGreaterThan(2000)
  expect(await rows.count()).toBeLessThan(50)
  expect(complaints).toEqual([])
})

it('goes to the last one by keyboard, and reads only what is new of calls', async () => {
  const { page } = await openBoard(house, '/')
  await page.locator('[data-tracks] [data-track] a').first().focus()
  await page.keyboard.press('End')
  await expect
    .poll(() =>
      page.evaluate<string | null>(
        `document.activeElement.closest('li')?.getAttribute('aria-posinset') ?? null`,
      ),
    )
    .toBe('100')
  const again = await page.waitForResponse((answer) => answer.url().includes('callsAfter='))
  const { data } = (await again.json()) as { data: { tracks: { calls: number[] }[] } }
  expect(data.tracks).toHaveLength(100)
  expect(data.tracks.every(({ calls }) => calls.length < 10)).toBe(true)
  const calls = await page
    .locator('[data-tracks] [data-track]')
    .last()
    .locator('path[data-line=calls]')
    .getAttribute('d')
  expect(calls!.split('M').length - 1).toBeGreaterThan(200)
})

it('lets nothing move while time goes by: only the plane is shifted', async () => {
  const { page } = await openBoard(house, '/')
  const line = page.locator('[data-tracks] path[data-line=working]').first()
  await line.waitFor({ state: 'attached' })
  const shift = () =>
    page
      .locator('[data-tracks]')
      .evaluate((list) =>
        Number.parseFloat(
          (list as unknown as { style: { getPropertyValue(name: string): string } }).style.getPropertyValue(
            '--shift',
          ),
        ),
      )
  const [drawn, before] = [await line.getAttribute('d'), await shift()]
  await expect.poll(shift, { timeout: 10_000 }).toBeLessThan(before - 0.5)
  expect(await line.getAttribute('d')).toBe(drawn)
})
