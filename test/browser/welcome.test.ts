import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { devices } from 'playwright-core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeRepository } from '../support/repository.ts'
import { cardIn, openHouse, openPage } from './browser.ts'
import type { Opened } from './browser.ts'

// No key, and no agent on PATH.
const house = openHouse(undefined, { PATH: '/usr/bin:/bin' })
const patience = { timeout: 20_000 }

async function open(options: object = {}): Promise<Opened> {
  const opened = await openPage(house.browser, options)
  await opened.page.goto(`${house.signalbox.url}/#token=${house.signalbox.token}`)
  await opened.page.locator('[data-live=live]').first().waitFor({ state: 'attached' })
  return opened
}
async function toFirstSteps(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Find anything, or do something…').fill('first steps')
  await page.getByRole('option', { name: 'First steps', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Welcome to Signalbox' }).waitFor()
}
const demo = (page: Page) => page.locator('[data-choice=demo]')

it('leads from the first page to a finished task, without a key: the demo says what it is, asks, and is answered', async () => {
  const { page, complaints } = await open()
  await toFirstSteps(page)
  await demo(page).waitFor(patience)
  expect(await demo(page).innerText()).toMatch(/demo.*a script and no model/is)
  expect(await demo(page).getByRole('radio').isChecked()).toBe(true)
  const folder = page.locator(`[data-choice="${house.signalbox.work}"]`)
  await folder.waitFor(patience)
  expect(await folder.innerText()).toContain('No git here')
  await page.getByRole('button', { name: 'Start the demo' }).click()
  const question = page.locator('[data-approval-card]')
  await question.waitFor(patience)
  expect(await question.innerText()).toContain('SIGNALBOX-DEMO.md')
  expect(existsSync(join(house.signalbox.work, 'SIGNALBOX-DEMO.md'))).toBe(false)
  await page.keyboard.press('y')
  await page.getByRole('heading', { name: 'Demo agent has finished its turn' }).waitFor(patience)
  const written = readFileSync(join(house.signalbox.work, 'SIGNALBOX-DEMO.md'), 'utf8')
  expect(written).toContain('a script and no model')
  await page.getByRole('link', { name: 'Open the session' }).click()
  await page
    .getByText('I am the demo agent that comes with Signalbox: a script, and no model')
    .waitFor(patience)
  expect(complaints).toEqual([])
})

it('can be used again, tells a repository from a folder, and shows on the card what it changed', async () => {
  const root = makeRepository(join(house.signalbox.work, 'yard'), { 'README.md': '# Yard\n' })
  const { page, complaints } = await open()
  await toFirstSteps(page)
  const folder = page.locator(`[data-choice="${root}"]`)
  await folder.waitFor(patience)
  expect(await folder.innerText()).toContain('Git repository')
  expect(await folder.getByRole('radio').isChecked()).toBe(true)
  await page.getByLabel('What should it do?').fill('Lay the rails')
  await page.getByRole('button', { name: 'Start the demo' }).click()
  await page.locator('[data-approval-card]').waitFor(patience)
  await page.keyboard.press('y')
  await page.locator('[data-first-run=succeeded]').waitFor(patience)
  await page.getByRole('link', { name: 'Go to the board' }).click()
  const card = cardIn(page, 'in_progress', 'Lay the rails')
  await card.getByText('1 file changed: 7 lines added, 0 removed').waitFor({ state: 'attached', ...patience })
  expect(await card.innerText()).toContain('Demo agent')
  expect(existsSync(join(root, 'SIGNALBOX-DEMO.md'))).toBe(false)
  expect(
    (await house.signalbox.call('GET', '/agents')).body.data.filter(
      ({ preset }: { preset: string }) => preset === 'demo',
    ),
  ).toHaveLength(1)
  expect(complaints).toEqual([])
})

it('says why another folder cannot be had, and starts nothing there', async () => {
  const { page } = await open()
  await toFirstSteps(page)
  await page.getByRole('radio', { name: 'Another folder' }).check(patience)
  await page.getByRole('textbox', { name: 'Another folder' }).fill('/etc')
  await page.getByText('is not in a folder that this machine allows').waitFor(patience)
  expect(await page.getByRole('button', { name: 'Start the demo' }).isDisabled()).toBe(true)
  await page.getByRole('textbox', { name: 'Another folder' }).fill(house.signalbox.work)
  await expect
    .poll(() => page.getByRole('button', { name: 'Start the demo' }).isDisabled(), patience)
    .toBe(false)
})

it('fits on a phone, and everything that is pressed there is large enough', async () => {
  const { page } = await open({ ...devices['iPhone 13'], viewport: { width: 390, height: 844 } })
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByPlaceholder('Find anything, or do something…').fill('first steps')
  await page.getByRole('option', { name: 'First steps', exact: true }).click()
  await demo(page).waitFor(patience)
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  expect(width).toBeLessThanOrEqual(390)
  for (const target of [demo(page), page.getByRole('button', { name: 'Start the demo' })]) {
    const box = await target.boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
  }
})
