import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openBoard, openPage } from './browser.ts'
import { agentOf, find, openFound, patience, rowOf, scan } from './found-programs.ts'

const { house, bin } = openFound(['claude', 'one-tool', 'other-tool', 'vanishing-tool', 'hidden-tool'])

const total = async (page: Page) =>
  Number(await page.locator('[data-found-total]').getAttribute('data-found-total'))
const focused = (page: Page) =>
  page.evaluate<string | undefined>(`document.activeElement.closest('[data-found]')?.dataset.found`)

it('scans, tells how it goes, and shows what is there without drawing all of it', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await page.evaluate(`
    window.scans = new Set()
    new MutationObserver(() => scans.add(document.querySelector('[data-scan]')?.dataset.scan))
      .observe(document.body, { subtree: true, childList: true, attributes: true })`)
  await scan(page)
  expect(await page.evaluate(`scans.has('running')`)).toBe(true)
  expect(await total(page)).toBeGreaterThan(100)
  // Coding agents first, with whether they are logged in; then what is used here.
  await rowOf(page, 'claude')
    .getByText(/Logged in|Not logged in|Login not known/)
    .waitFor(patience)
  expect(await rowOf(page, 'claude').getAttribute('aria-posinset')).toBe('1')
  await rowOf(page, 'git').getByText('3×').waitFor()
  expect(await rowOf(page, 'git').getAttribute('aria-posinset')).toBe('2')
  expect(await page.locator('[data-found]').count()).toBeLessThan(80)
  expect(complaints).toEqual([])
})

it('draws whatever is in sight, wherever somebody scrolls to', async () => {
  // Much above the list, so that it begins far below the beginning of what scrolls.
  const above = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      house.signalbox.call('POST', '/agents', {
        name: `above ${index}`,
        kind: 'tool',
        binaryPath: '/bin/true',
      }),
    ),
  )
  const { page } = await openBoard(house, '/agents')
  await rowOf(page, 'git').waitFor(patience)
  await page.locator('[data-preset]').first().waitFor(patience)
  const blanks = (share: number) =>
    page.evaluate<number>(`
      (async () => {
        const list = document.querySelector('ul[aria-label="Programs on this machine"]')
        const scroller = list.closest('.overflow-y-auto')
        scroller.scrollTop = (scroller.scrollHeight - scroller.clientHeight) * ${share}
        await new Promise((resolve) => setTimeout(resolve, 100))
        const { left, top, bottom } = list.getBoundingClientRect()
        const from = Math.max(top, scroller.getBoundingClientRect().top + 100)
        const to = Math.min(bottom, innerHeight) - 5
        let blank = 0
        for (let y = from + 5; y < to; y += 40)
          if (!document.elementFromPoint(left + 200, y)?.closest('[data-found]')) blank += 1
        return blank
      })()`)
  for (const share of [0, 0.002, 0.005, 0.01, 0.3, 0.7, 1])
    await expect.poll(() => blanks(share), { message: `at ${share}`, timeout: 5000 }).toBe(0)
  for (const { body } of above) await house.signalbox.call('DELETE', `/agents/${body.data.id}`)
})

it('finds by words and by kind, and says so when nothing fits', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await rowOf(page, 'git').waitFor(patience)
  const before = await total(page)
  await find(page, 'one-tool')
  await expect.poll(() => total(page)).toBe(1)
  await page.getByRole('button', { name: 'What it is' }).click()
  await page.getByRole('menuitemradio', { name: 'Daemon' }).click()
  await page.getByText('Nothing here fits.').waitFor()
  await page.getByRole('button', { name: 'What it is' }).click()
  await page.getByRole('menuitemradio', { name: 'Every kind' }).click()
  await page.getByRole('searchbox', { name: 'Find a program' }).fill('')
  await expect.poll(() => total(page)).toBe(before)
  expect(complaints).toEqual([])
})

it('is used by keyboard alone, to its very end', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await rowOf(page, 'git').waitFor(patience)
  const count = await total(page)
  await page.getByRole('searchbox', { name: 'Find a program' }).focus()
  for (let presses = 0; presses < 8 && (await focused(page)) === undefined; presses += 1)
    await page.keyboard.press('Tab')
  const first = await focused(page)
  expect(first).toBe('claude')
  await page.keyboard.press('ArrowDown')
  expect(await focused(page)).not.toBe(first)
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowDown')
  await page.getByText('2 chosen').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('2 chosen').waitFor({ state: 'detached' })
  await page.keyboard.press('End')
  await page.locator(`[aria-posinset="${count}"] [data-row]`).waitFor(patience)
  await expect.poll(() => page.evaluate(`document.activeElement.dataset.row`)).toBe(String(count - 1))
  const isInSight = await page.evaluate<boolean>(`
    (() => {
      const { top, bottom } = document.activeElement.getBoundingClientRect()
      return top > 0 && bottom <= innerHeight
    })()`)
  expect(isInSight).toBe(true)
  await page.keyboard.press('Home')
  expect(await focused(page)).toBe('claude')
  await page.keyboard.press('ArrowDown')
  expect(await focused(page)).toBe('git')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('heading', { name: 'git', exact: true }).waitFor(patience)
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page)).toBe('git')
  expect(complaints).toEqual([])
})

it('says of a program what it can be asked for and by whom that is told', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await find(page, 'git')
  await rowOf(page, 'git').getByRole('button').click()
  const window = page.getByRole('dialog')
  await window.locator('[data-known-from=fig]').waitFor(patience)
  await window.getByRole('searchbox', { name: 'Find a command' }).fill('push')
  await window.locator('[data-command=push]').getByRole('button').click()
  await window.locator('[data-command=push]').getByText('--force', { exact: false }).first().waitFor()
  await window.locator('[data-command=push] [data-danger="2"]').first().waitFor()
  await window.getByRole('button', { name: 'Ask a model' }).click()
  // Nobody has given this house a key.
  await window.getByRole('alert').waitFor(patience)
  await window.locator('[data-known-from=fig]').waitFor()
  expect(complaints).toEqual([])
})

it('hides what nobody wants to see, and brings it back', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await find(page, 'hidden-tool')
  await rowOf(page, 'hidden-tool').getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Hide', exact: true }).click()
  await rowOf(page, 'hidden-tool').waitFor({ state: 'detached', ...patience })
  await page.getByRole('button', { name: 'Which are shown' }).click()
  await page.getByRole('menuitemradio', { name: 'Hidden', exact: true }).click()
  await rowOf(page, 'hidden-tool').getByRole('checkbox').check(patience)
  await page.getByRole('button', { name: 'Show again' }).click()
  await page.getByText('Nothing here fits.').waitFor(patience)
  expect(complaints).toEqual([])
})

it('confirms several at once, chosen in different searches', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  for (const name of ['one-tool', 'other-tool', 'vanishing-tool']) {
    await find(page, name)
    await rowOf(page, name).getByRole('checkbox').check()
  }
  await page.getByText('3 chosen').waitFor()
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByText('3 programs can be used now').waitFor(patience)
  await rowOf(page, 'vanishing-tool').getByText('Confirmed').waitFor(patience)
  for (const name of ['one-tool', 'other-tool', 'vanishing-tool'])
    await agentOf(page, name)
      .getByRole('button', { name: `Run ${name}…` })
      .waitFor(patience)
  expect(complaints).toEqual([])
})

it('tells of a program that has vanished, in its row and in that of its agent', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await agentOf(page, 'vanishing-tool').waitFor(patience)
  rmSync(join(bin, 'vanishing-tool'))
  await scan(page)
  await agentOf(page, 'vanishing-tool').getByText('Its program is gone').waitFor(patience)
  await page.getByRole('button', { name: 'Which are shown' }).click()
  await page.getByRole('menuitemradio', { name: 'Gone' }).click()
  await rowOf(page, 'vanishing-tool').getByText('Gone').waitFor(patience)
  expect(complaints).toEqual([])
})

it('fits a phone', async () => {
  const { page, complaints } = await openPage(house.browser, {
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  })
  await page.goto(`${house.signalbox.url}/agents#token=${house.signalbox.token}`)
  await find(page, 'one-tool')
  const sideways = () =>
    page.evaluate<number>(`
      [...document.querySelectorAll('main *')].filter(
        (each) => getComputedStyle(each).overflowX === 'auto' && each.scrollWidth > each.clientWidth).length`)
  expect(await sideways()).toBe(0)
  await rowOf(page, 'one-tool').getByRole('checkbox').tap()
  await page.getByText('1 chosen').waitFor()
  expect(await sideways()).toBe(0)
  expect(complaints).toEqual([])
})

it('shows people who are not the owner what they may run, and nothing to confirm', async () => {
  const { body } = await house.signalbox.call('POST', '/users', { name: 'Grace', scopes: ['board', 'run'] })
  const { page, complaints } = await openPage(house.browser)
  await page.goto(`${house.signalbox.url}/agents#token=${body.data.token}`)
  await agentOf(page, 'one-tool').getByRole('button', { name: 'Run one-tool…' }).waitFor(patience)
  expect(await page.getByText('Found on this machine').count()).toBe(0)
  expect(complaints).toEqual([])
})
