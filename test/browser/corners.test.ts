import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { cardIn, openBoard, openHouse, openPage } from './browser.ts'

const house = openHouse()
const newTask = async (title: string, status = 'todo'): Promise<string> =>
  (await house.signalbox.call('POST', '/tasks', { title, status })).body.data.id

interface Up {
  children: { name: string; pid: number }[]
}
async function killWeb(): Promise<void> {
  const { children }: Up = JSON.parse(await readFile(join(house.signalbox.home, 'up.json'), 'utf8'))
  for (const { name, pid } of children) if (name === 'web') process.kill(pid, 'SIGKILL')
}

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox()
  if (!box) throw new Error('not shown')
  return box
}

/** Holds a card over a place: the way over, and then some more, so that the drop target notices. */
async function holdOver(page: Page, card: Locator, to: { x: number; y: number }): Promise<void> {
  const from = await boxOf(card)
  await page.mouse.move(from.x + 40, from.y + 20)
  await page.mouse.down()
  await page.mouse.move(from.x + 50, from.y + 30, { steps: 3 })
  await page.mouse.move(to.x, to.y, { steps: 8 })
  await page.mouse.move(to.x + 1, to.y + 1, { steps: 3 })
}

it.each([
  { width: 1280, height: 800 },
  { width: 390, height: 800 },
])(
  'keeps what it says and the word that the connection is lost apart, at $width pixels',
  async (viewport) => {
    await newTask('Stays here')
    const { page } = await openBoard(house)
    await page.setViewportSize(viewport)
    await cardIn(page, 'todo', 'Stays here').first().focus()
    await page.route('**/api/**', (route) => route.abort())
    await killWeb()
    const banner = page.getByText('Connection lost. What you see may be old')
    await banner.waitFor()
    await page.keyboard.press('Alt+ArrowRight')
    const toast = page.locator('[data-toast]').first()
    await toast.waitFor()
    const [one, other] = [await boxOf(toast), await boxOf(banner)]
    expect(one.y + one.height).toBeLessThanOrEqual(other.y)
    await page.unrouteAll()
    await banner.waitFor({ state: 'detached', timeout: 20_000 })
  },
)

it('shows where a card will land that is held over the empty part of a column', async () => {
  await newTask('Last so far', 'in_progress')
  await newTask('In the hand')
  const { page } = await openBoard(house)
  await page.locator('[data-card][draggable=true]').first().waitFor()
  const column = await boxOf(page.locator('[data-column=in_progress]'))
  const last = await boxOf(cardIn(page, 'in_progress', 'Last so far'))
  const free = { x: column.x + column.width / 2, y: column.y + column.height - 150 }
  await holdOver(page, cardIn(page, 'todo', 'In the hand'), free)
  const line = page.locator('[data-column=in_progress] [data-drop-line]')
  await line.waitFor()
  const { y } = await boxOf(line)
  expect(y).toBeGreaterThan(last.y + last.height)
  expect(y).toBeLessThan(last.y + last.height + 8)
  await page.mouse.up()
  await expect.poll(() => page.locator('[data-drop-line]').count()).toBe(0)
  await expect
    .poll(() => page.locator('[data-column=in_progress] [data-card] .font-medium').allTextContents())
    .toEqual(['Last so far', 'In the hand'])
  await holdOver(page, cardIn(page, 'in_progress', 'In the hand'), free)
  await page.locator('[data-column=in_progress].bg-raise\\/60').waitFor()
  expect(await page.locator('[data-drop-line]').count()).toBe(0)
  await page.mouse.up()
})

it('lists its keys truly: g and a comma lead to the settings', async () => {
  const { page } = await openBoard(house)
  await page.keyboard.press('?')
  const line = page.getByRole('dialog').locator('dl > div', { hasText: 'Go to Settings' })
  await expect.poll(() => line.locator('kbd').allTextContents()).toEqual(['G', ','])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press(',')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
})

it('says truly where the token is, wherever the home is', async () => {
  const { page } = await openPage(house.browser)
  await page.goto(house.signalbox.url)
  const words = page.getByText('the file “token” of Signalbox’s home')
  await expect.poll(() => words.textContent()).toContain('~/.signalbox, unless SIGNALBOX_HOME says otherwise')
})

it('puts the focus on the heading of the room that somebody goes to, and arrows still find the cards', async () => {
  await newTask('To be found')
  const { page, complaints } = await openBoard(house, '/inbox')
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
  await page.getByRole('link', { name: 'Board' }).click()
  const heading = page.getByRole('heading', { name: 'Board', level: 1 })
  await expect.poll(() => heading.evaluate((it) => it.matches(':focus'))).toBe(true)
  expect(await heading.evaluate((it) => getComputedStyle(it).outlineStyle)).toBe('none')
  await cardIn(page, 'todo', 'To be found').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => page.evaluate('document.activeElement.dataset.card ?? null')).not.toBe(null)
  expect(complaints).toEqual([])
})

it('finds agents, workspaces, sessions and parts of the settings by their names', async () => {
  const agent = (await house.signalbox.call('POST', '/agents', { preset: 'demo' })).body.data
  const root = join(house.signalbox.work, 'marshalling')
  await mkdir(root)
  await house.signalbox.call('POST', '/workspaces', { driver: 'folder', root })
  await house.signalbox.call('POST', '/sessions', { agentId: agent.id, title: 'Shunting at night' })
  const { page, complaints } = await openBoard(house)
  await page.keyboard.press('Control+k')
  const field = page.getByPlaceholder('Find anything, or do something…')
  for (const [words, found] of [
    ['marshal', 'marshalling'],
    ['appear', 'Settings: Appearance'],
    ['machines', 'Go to Machines'],
    ['demo ag', 'Demo agent'],
  ] as const) {
    await field.fill(words)
    await page.getByRole('option', { name: found }).first().waitFor()
  }
  await field.fill('shunting')
  await page.getByRole('option', { name: 'Shunting at night', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain('/sessions/')
  expect(complaints).toEqual([])
})
