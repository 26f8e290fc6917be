import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { cardIn, openHouse, openBoard } from './browser.ts'

const house = openHouse()

/** The web process, found among the children of the one that supervises it. */
async function webPid(): Promise<number> {
  const { pid } = house.signalbox.process
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number)
  for (const child of children) {
    const words = await readFile(`/proc/${child}/cmdline`, 'utf8')
    if (words.includes('main/web.ts')) return child
  }
  throw new Error('no web process')
}

it('says that the connection is lost, and heals without a reload and without a gap', async () => {
  await house.signalbox.call('POST', '/tasks', { title: 'Before' })
  const { page, complaints } = await openBoard(house)
  await cardIn(page, 'todo', 'Before').waitFor()
  await page.evaluate('window.isSamePage = true')

  const lost = page.getByText('Connection lost. What you see may be old').waitFor()
  process.kill(await webPid(), 'SIGKILL')
  await lost
  await expect
    .poll(
      () =>
        house.signalbox.call('POST', '/tasks', { title: 'After' }).then(
          ({ status }) => status,
          () => 0,
        ),
      {
        timeout: 20_000,
      },
    )
    .toBe(201)

  await cardIn(page, 'todo', 'After').waitFor()
  await page.locator('[data-live=live]').first().waitFor()
  await page.getByText('Connection lost').waitFor({ state: 'detached' })
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  expect(complaints).toEqual([])
})
