import { expect, it } from 'vitest'
import { fillBoard } from '../support/large-board.ts'
import { openHouse, openBoard } from './browser.ts'

const house = openHouse((databaseUrl) => fillBoard(databaseUrl, 10_000))

it('draws only what is in sight of ten thousand cards, and reads on as one scrolls', async () => {
  const { page } = await openBoard(house)
  const column = page.locator('[data-column=todo]')
  const drawn = () => page.locator('[data-card]').count()
  await expect.poll(() => column.locator('[data-total]').textContent()).toBe('10,000')
  await expect.poll(drawn).toBeGreaterThan(5)
  expect(await drawn()).toBeLessThan(100)
  await page.evaluate(`(async () => {
    const list = document.querySelector('[data-column=todo] ul').parentElement
    for (let frame = 0; frame < 120; frame += 1) {
      list.scrollTop += 600
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  })()`)
  await expect
    .poll(() => column.locator('li').last().getAttribute('aria-posinset').then(Number))
    .toBeGreaterThan(300)
  expect(await drawn()).toBeLessThan(100)
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
