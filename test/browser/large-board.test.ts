import pg from 'pg'
import { generateNKeysBetween } from 'fractional-indexing'
import { expect, it } from 'vitest'
import { newId } from '#lib/id.ts'
import { openHouse, openBoard } from './browser.ts'

const cards = 10_000
const house = openHouse(async (databaseUrl) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const positions = generateNKeysBetween(null, null, cards)
  await client.query(
    `insert into tasks (id, title, description, status, priority, position, depth, created_by)
     select id, 'Task ' || number, '', 'todo', 'medium', position, 0, 'owner'
     from unnest($1::uuid[], $2::text[]) with ordinality as new (id, position, number)`,
    [positions.map(newId), positions],
  )
  await client.end()
})

const scrollAndMeasure = `(async () => {
  const list = document.querySelector('[data-column=todo] ul').parentElement
  const times = []
  for (let last = performance.now(), frame = 0; frame < 120; frame += 1) {
    list.scrollTop += 600
    await new Promise((resolve) => requestAnimationFrame(resolve))
    times.push(performance.now() - last)
    last = performance.now()
  }
  return times.toSorted((one, other) => one - other)
})()`

it('draws only what is in sight of ten thousand cards, and reads on as one scrolls', async () => {
  const { page } = await openBoard(house)
  const column = page.locator('[data-column=todo]')
  await expect.poll(() => column.locator('[data-total]').textContent()).toBe('10,000')
  const frames = await page.evaluate<number[]>(scrollAndMeasure)
  // Two frames of a 60 Hz screen, on a machine that draws without a graphics card.
  expect(frames[Math.floor(frames.length / 2)]).toBeLessThan(34)
  expect(await page.locator('[data-card]').count()).toBeLessThan(100)
  await expect
    .poll(() => column.locator('li').last().getAttribute('aria-posinset').then(Number))
    .toBeGreaterThan(300)
})

it('shows what happens far below without being asked to read it all', async () => {
  const { page } = await openBoard(house)
  const total = page.locator('[data-column=todo] [data-total]')
  await expect.poll(() => total.textContent()).toBe('10,000')
  const { body } = await house.signalbox.call('GET', '/tasks?status=todo&page=100&pageSize=100')
  await house.signalbox.call('POST', `/tasks/${body.data[50].id}/reorder`, { status: 'in_progress' })
  await expect.poll(() => total.textContent()).toBe('9,999')
  await page.locator('[data-column=in_progress] [data-card]').waitFor()
  await house.signalbox.call('DELETE', `/tasks/${body.data[51].id}`)
  await expect.poll(() => total.textContent()).toBe('9,998')
})
