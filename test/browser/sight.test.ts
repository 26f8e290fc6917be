import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { cardIn, focusedTitle, openBoard, openHouse } from './browser.ts'

const house = openHouse()
const many = 140

const newTask = async (title: string, status = 'todo', more: object = {}): Promise<string> =>
  (await house.signalbox.call('POST', '/tasks', { title, status, ...more })).body.data.id
const fill = async (status: string, amount: number) => {
  for (let number = 1; number <= amount; number += 1)
    await newTask(
      `${status} ${number}${number % 3 === 0 ? ' with a title that is long enough for two or three lines' : ''}`,
      status,
    )
}

/** In sight: inside its column, and not behind the open task. */
const isInSight = (page: Page, title: string) =>
  page.evaluate<boolean>(`(() => {
    const card = [...document.querySelectorAll('[data-card]')].find((each) => each.textContent.includes(${JSON.stringify(title)}))
    if (!card) return false
    const { left, right, top, bottom } = card.getBoundingClientRect()
    const list = card.closest('ul').parentElement.getBoundingClientRect()
    const sheet = document.querySelector('aside')?.getBoundingClientRect()
    const isInList = top >= list.top - 1 && bottom <= list.bottom + 1
    return isInList && left >= 0 && right <= (sheet?.left ?? innerWidth)
  })()`)

it('scrolls to a new card at the end of a column that is longer than what was read of it, and focuses it', async () => {
  await fill('todo', many)
  const { page, complaints } = await openBoard(house)
  await cardIn(page, 'todo', 'todo 1').first().waitFor()
  await page.keyboard.press('n')
  await page.keyboard.type('Brand new\n')
  await expect.poll(() => focusedTitle(page)).toBe('Brand new')
  await expect.poll(() => isInSight(page, 'Brand new')).toBe(true)
  expect(await page.locator('[data-toast]').count()).toBe(0)
  expect(complaints).toEqual([])
})

it('scrolls to a card that is added at the foot of a column, and keeps the line open for the next one', async () => {
  await fill('blocked', 30)
  const { page } = await openBoard(house)
  await page.getByRole('button', { name: 'New task in Blocked' }).click()
  await page.keyboard.type('At the foot\n')
  await expect.poll(() => isInSight(page, 'At the foot')).toBe(true)
  await page.keyboard.type('And another\n')
  await expect.poll(() => isInSight(page, 'And another')).toBe(true)
})

it('brings the card of a task into view that was opened by its name', async () => {
  await newTask('Hidden far down', 'done')
  await newTask('Needle', 'todo')
  await newTask('Right behind the sheet', 'done')
  const { page } = await openBoard(house)
  await cardIn(page, 'todo', 'todo 1').first().waitFor()
  for (const title of ['Needle', 'Right behind the sheet']) {
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Find anything, or do something…').fill(title.slice(0, -1).toLowerCase())
    await page.getByRole('option', { name: title }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: title }).waitFor()
    await expect.poll(() => isInSight(page, title)).toBe(true)
  }
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => focusedTitle(page)).toBe('Right behind the sheet')
})

it('tells of a new task that the board does not show, and opens it', async () => {
  const { page } = await openBoard(house, '/board?q=todo+1')
  await cardIn(page, 'todo', 'todo 1').first().waitFor()
  await page.keyboard.press('n')
  await page.keyboard.type('Something else\n')
  await page
    .locator('[data-toast]', { hasText: 'Added “Something else”' })
    .getByRole('button', { name: 'Open' })
    .click()
  await page.getByRole('complementary', { name: 'Something else' }).waitFor()
  await expect.poll(() => isInSight(page, 'Something else')).toBe(true)
})

it('gives the focus back to where it was when a window is closed', async () => {
  const { page } = await openBoard(house)
  await cardIn(page, 'todo', 'todo 2').first().focus()
  const before = await focusedTitle(page)
  expect(before).toContain('todo 2')
  for (const key of ['n', '?', 'Control+k']) {
    await page.keyboard.press(key)
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => focusedTitle(page)).toBe(before)
  }
})
