import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { cardIn, focusedTitle, openBoard, openHouse, openPage } from './browser.ts'

const house = openHouse()
const newTask = async (title: string): Promise<string> =>
  (await house.signalbox.call('POST', '/tasks', { title })).body.data.id

const lateFiles = '**/assets/{sheet,new-task,palette,move-menu}-*.js'
const openSheet = (page: Page, title: string) => page.getByRole('complementary', { name: title })

/** Fetched once into the cache, and once more from there when it was imported. */
const timesFetched = (page: Page, part: string) =>
  page.evaluate<number>(
    `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/${part}-')).length`,
  )

/** A page of whose later parts nothing has arrived. */
async function openWithoutParts(how: (page: Page) => Promise<unknown>, path = '/board'): Promise<Page> {
  const { page } = await openPage(house.browser)
  await how(page)
  await page.goto(`${house.signalbox.url}${path}#token=${house.signalbox.token}`)
  await page.locator('[data-live=live]').first().waitFor()
  return page
}
const cutOff = (page: Page) => page.route(lateFiles, (route) => route.abort('connectionrefused'))
const gone = (page: Page) => page.route(lateFiles, (route) => route.fulfill({ status: 404, body: '{}' }))

interface Up {
  children: { name: string; pid: number }[]
}
async function killWeb(): Promise<void> {
  const { children }: Up = JSON.parse(await readFile(join(house.signalbox.home, 'up.json'), 'utf8'))
  for (const { name, pid } of children) if (name === 'web') process.kill(pid, 'SIGKILL')
}

it('opens a task whose part of the page could not be fetched at first, and loses nothing meanwhile', async () => {
  await newTask('Opens late')
  const page = await openWithoutParts(cutOff)
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/sheet-'))
  await cardIn(page, 'todo', 'Opens late').click()
  await failed
  await page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/sheet-'))
  expect(await cardIn(page, 'todo', 'Opens late').isVisible()).toBe(true)
  await page.unrouteAll()
  await openSheet(page, 'Opens late').waitFor()
})

/** Whatever it did to the server, a test ends with it back. */
async function webIsBack(): Promise<void> {
  const answer = () => house.signalbox.call('GET', '/tasks').catch(() => null)
  await expect.poll(answer, { timeout: 20_000 }).not.toBe(null)
}

it('stays whole when the server dies and a card is clicked at once', async () => {
  await newTask('Clicked in the dark')
  const { page, complaints } = await openBoard(house)
  await cardIn(page, 'todo', 'Clicked in the dark').waitFor()
  await killWeb()
  await cardIn(page, 'todo', 'Clicked in the dark').click()
  await openSheet(page, 'Clicked in the dark').waitFor()
  await webIsBack()
  await page.getByText('Created', { exact: true }).waitFor({ timeout: 20_000 })
  expect(await cardIn(page, 'todo', 'Clicked in the dark').isVisible()).toBe(true)
  expect(complaints).toEqual([])
})

it('has everything it may need once it has come to rest', async () => {
  await newTask('Offline')
  const { page, complaints } = await openBoard(house)
  for (const part of ['new-task', 'settings-page'])
    await expect.poll(() => timesFetched(page, part), { timeout: 10_000 }).toBeGreaterThan(1)
  await page.context().setOffline(true)
  await page.keyboard.press('n')
  await page.getByRole('dialog', { name: 'New task' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press(',')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  expect(complaints).toEqual([])
})

it('shows a room as soon as its own files are here, however long the others take', async () => {
  await newTask('Does not wait for the rest')
  const { promise: theirTime, resolve: letThemArrive } = Promise.withResolvers<void>()
  const page = await openWithoutParts((each) =>
    each.route('**/assets/{agents-page,tools-page,session-page,settings-page}-*.js', (route) =>
      theirTime.then(() => route.continue()),
    ),
  )
  await cardIn(page, 'todo', 'Does not wait for the rest').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press(',')
  await expect.poll(() => page.url()).toContain('/settings')
  expect(await page.getByRole('heading', { name: 'Settings' }).count()).toBe(0)
  letThemArrive()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
})

it('fetches first what is looked at, and what is large not before somebody asks for it', async () => {
  const { page } = await openPage(house.browser)
  const fetched: string[] = []
  page.on('request', (request) => {
    const [, file] = /\/assets\/(.+)-[\w-]{7}\.js$/.exec(request.url()) ?? []
    if (file) fetched.push(file)
  })
  await page.goto(`${house.signalbox.url}/inbox#token=${house.signalbox.token}`)
  for (const part of ['new-task', 'settings-page', 'board-page', 'shell-page'])
    await expect.poll(() => timesFetched(page, part), { timeout: 10_000 }).toBeGreaterThan(1)
  expect(fetched.indexOf('inbox-page')).toBeLessThan(fetched.indexOf('agents-page'))
  expect(fetched).not.toContain('terminal-pane')
})

it('asks to be loaded again when its files are gone, and is then where it was', async () => {
  await newTask('After the upgrade')
  const page = await openWithoutParts(gone)
  await cardIn(page, 'todo', 'After the upgrade').click()
  const alert = page.getByRole('alert').filter({ hasText: 'Signalbox has been updated' })
  await alert.waitFor()
  expect(await cardIn(page, 'todo', 'After the upgrade').isVisible()).toBe(true)
  await page.unrouteAll()
  await alert.getByRole('button', { name: 'Reload' }).click()
  await openSheet(page, 'After the upgrade').waitFor()
})

it('can be loaded again by keyboard too, as often as it says so', async () => {
  await newTask('Keys only')
  const page = await openWithoutParts(gone)
  await cardIn(page, 'todo', 'Keys only').focus()
  for (const way of ['Close', 'Reload']) {
    await page.keyboard.press('n')
    await page.getByText('Signalbox has been updated').waitFor()
    const button = page.getByRole('button', { name: way })
    for (let presses = 0; presses < 2 && !(await button.evaluate((it) => it.matches(':focus'))); presses += 1)
      await page.keyboard.press('Tab')
    expect(await button.evaluate((it) => it.matches(':focus'))).toBe(true)
    if (way === 'Close') await page.keyboard.press('Enter')
  }
})

it('says so in its own words when a room breaks, and keeps the way to the others', async () => {
  const { page } = await openPage(house.browser)
  await page.route('**/api/v1/tasks?*', (route) =>
    route.fulfill({ json: { data: [{ id: '1', status: 'todo', position: 'a' }], meta: { total: 1 } } }),
  )
  await page.goto(`${house.signalbox.url}/board#token=${house.signalbox.token}`)
  await page.getByRole('alert').getByText('Something broke here').waitFor()
  expect(await page.getByRole('link', { name: 'Settings' }).isVisible()).toBe(true)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.locator('[data-column=todo]').waitFor()
})

it('keeps what is typed while the window for it is still on its way, and lets none of it act on the board', async () => {
  await newTask('Not to be moved')
  const { promise: theirTime, resolve: letThemArrive } = Promise.withResolvers<void>()
  const page = await openWithoutParts((each) =>
    each.route(lateFiles, (route) => theirTime.then(() => route.continue())),
  )
  await cardIn(page, 'todo', 'Not to be moved').focus()
  await page.keyboard.press('n')
  await page.keyboard.type('hello move lanex', { delay: 30 })
  await page.keyboard.press('Backspace')
  letThemArrive()
  await page.getByRole('dialog', { name: 'New task' }).waitFor()
  await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('hello move lane')
  await page.keyboard.type('s')
  expect(await page.getByLabel('Title').inputValue()).toBe('hello move lanes')
  expect(await page.getByRole('menu').count()).toBe(0)
  expect(await page.getByRole('dialog').count()).toBe(1)
})

it('takes back with Escape what is still on its way', async () => {
  await newTask('Focused')
  const page = await openWithoutParts(cutOff)
  await cardIn(page, 'todo', 'Focused').focus()
  await page.keyboard.press('Control+k')
  await page.getByText('Loading…').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Loading…').waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowUp')
  expect(await focusedTitle(page)).not.toBe(null)
})

it('types into the title from the first key on, however fast', async () => {
  await newTask('Fast')
  const { page } = await openBoard(house)
  await cardIn(page, 'todo', 'Fast').focus()
  await page.keyboard.type('nmany small things\n')
  await cardIn(page, 'todo', 'many small things').waitFor()
  await expect.poll(() => focusedTitle(page)).toBe('many small things')
})
