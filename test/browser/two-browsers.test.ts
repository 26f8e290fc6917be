import { expect, it } from 'vitest'
import { cardIn, openBoard, openHouse, titlesIn } from './browser.ts'

const house = openHouse()

it('shows in one browser what is dragged in the other, also when both drag at once', async () => {
  for (const title of ['first', 'second', 'third']) await house.signalbox.call('POST', '/tasks', { title })
  const [mine, theirs] = await Promise.all([openBoard(house), openBoard(house)])
  for (const { page } of [mine, theirs]) await page.locator('[data-card][draggable=true]').first().waitFor()

  await cardIn(mine.page, 'todo', 'first').dragTo(mine.page.locator('[data-column=in_progress]'))
  await cardIn(theirs.page, 'in_progress', 'first').waitFor()

  await Promise.all([
    cardIn(mine.page, 'todo', 'second').dragTo(mine.page.locator('[data-column=in_progress]')),
    cardIn(theirs.page, 'todo', 'third').dragTo(theirs.page.locator('[data-column=blocked]')),
  ])
  for (const { page, complaints } of [mine, theirs]) {
    await cardIn(page, 'in_progress', 'second').waitFor()
    await cardIn(page, 'blocked', 'third').waitFor()
    expect(await titlesIn(page, 'todo')).toEqual([])
    expect(complaints).toEqual([])
  }
  expect(await titlesIn(mine.page, 'in_progress')).toEqual(await titlesIn(theirs.page, 'in_progress'))
})
