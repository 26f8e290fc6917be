import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { call } from '../support/signalbox.ts'
import { openBoard, openPage } from './browser.ts'
import { openTalking } from './talking.ts'

const { house, store, ask } = openTalking()

const patience = { timeout: 20_000 }
const track = (page: Page, sessionId: string) => page.locator(`[data-tracks] [data-track="${sessionId}"]`)
const line = (page: Page, sessionId: string, name: string) =>
  track(page, sessionId).locator(`path[data-line="${name}"]`)
/** How many strokes of this kind a track has. */
const strokes = async (page: Page, sessionId: string, name: string) =>
  ((await line(page, sessionId, name).getAttribute('d')) ?? '').split('M').length - 1
const figure = (page: Page, name: string) => page.locator(`[data-figure="${name}"] b`)
const cancel = (id: string) => house.signalbox.call('POST', `/executions/${id}/cancel`)

it('teaches the next step while nothing has run', async () => {
  const { page, complaints } = await openBoard(house, '/')
  await page.getByRole('heading', { name: 'Welcome to Signalbox' }).waitFor()
  expect(complaints).toEqual([])
})

it('shows on a track what happens, without a reload: working, tool calls, a question, the end', async () => {
  const { page, complaints } = await openBoard(house, '/')
  await page.evaluate('window.isSamePage = true')
  const { id, sessionId } = await ask(
    `tool Read ok\nnote ${join(store, 'live')} word\ntool Edit ok\nwait 1500`,
  )
  await page.locator(`[data-track="${sessionId}"][data-state=waits]`).waitFor(patience)
  await expect.poll(() => strokes(page, sessionId, 'asked'), patience).toBe(1)
  expect(await strokes(page, sessionId, 'working')).toBeGreaterThan(0)
  await expect.poll(() => strokes(page, sessionId, 'waits'), patience).toBe(1)
  await expect.poll(() => strokes(page, sessionId, 'calls'), patience).toBeGreaterThan(0)
  expect(await page.title()).toBe('(1) Home · Signalbox')
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/favicon-waits.svg')

  const { body } = await house.signalbox.call('GET', '/approvals?status=waiting')
  await house.signalbox.call('POST', `/approvals/${body.data[0].id}`, { decision: 'granted' })
  await page.locator(`[data-track="${sessionId}"][data-state=working]`).waitFor(patience)
  await page.locator(`[data-track="${sessionId}"][data-state=idle]`).waitFor(patience)
  await expect.poll(() => figure(page, 'succeeded').textContent()).toBe('1')
  await expect.poll(() => page.title()).toBe('Home · Signalbox')
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/favicon.svg')
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  await track(page, sessionId).locator('a').click()
  await page.waitForURL(`**/sessions/${sessionId}`)
  expect(complaints).toEqual([])
  expect(id).not.toBe('')
})

it('is answered in place by keyboard: from track to track, Space, y; and the focus stays', async () => {
  const other = await ask('stall')
  const { id, sessionId } = await ask(`note ${join(store, 'placed')} here`)
  const { page, complaints } = await openBoard(house, '/')
  await page.locator(`[data-track="${sessionId}"][data-state=waits]`).waitFor(patience)
  await track(page, other.sessionId).locator('a').focus()
  await page.keyboard.press('Home')
  const focused = () => page.evaluate<string>(`document.activeElement.closest('[data-track]')?.dataset.track`)
  await expect.poll(focused).toBe(sessionId)
  await page.locator('[data-tip]', { hasText: 'Waits for you' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await expect.poll(focused).toBe(other.sessionId)
  await page.keyboard.press('k')
  await expect.poll(focused).toBe(sessionId)
  await page.keyboard.press(' ')
  const here = page.locator(`[data-answer-here="${sessionId}"]`)
  await here.getByText('note here').waitFor()
  await page.waitForTimeout(400)
  await page.keyboard.press('y')
  await here.waitFor({ state: 'detached' })
  await expect.poll(focused).toBe(sessionId)
  await expect
    .poll(async () => (await house.signalbox.call('GET', `/executions/${id}`)).body.data.status, patience)
    .toBe('succeeded')
  expect(existsSync(join(store, 'placed'))).toBe(true)
  await cancel(other.id)
  expect(complaints).toEqual([])
})

it('is answered by a click on the amber line, and beside the tracks, where the question itself is to be read', async () => {
  const { sessionId } = await ask('question Which colour?')
  const { page, complaints } = await openBoard(house, '/')
  const row = page.locator(`[data-track="${sessionId}"][data-state=waits]`)
  await row.waitFor(patience)
  const waits = page.locator('[data-waits]', { hasText: 'Which colour?' })
  await waits.waitFor(patience)
  // A moment after it was asked, the line is some pixels wide at the right edge.
  await page.waitForTimeout(3000)
  const edge = await row
    .locator('svg')
    .last()
    .evaluate((svg) => svg.parentElement!.getBoundingClientRect().right)
  const { y, height } = (await row.boundingBox())!
  await page.mouse.click(edge - 1, y + height / 2)
  const here = page.locator(`[data-answer-here="${sessionId}"]`)
  await here.getByText('Which colour?').waitFor()
  await page.getByRole('button', { name: /^Answer what/ }).click()
  await here.waitFor({ state: 'detached' })
  await waits.getByRole('textbox').fill('green')
  await waits.getByRole('button', { name: 'Answer', exact: true }).click()
  await page.getByText('Nothing waits for you.').waitFor(patience)
  await page.locator(`[data-track="${sessionId}"][data-state=idle]`).waitFor(patience)
  expect(complaints).toEqual([])
})

it('says what went wrong until somebody goes on', async () => {
  const { page, complaints } = await openBoard(house, '/')
  const { sessionId } = await ask('error -32603 The rails are wet')
  const failure = page.locator(`[data-failure="${sessionId}"]`, { hasText: 'The rails are wet' })
  await failure.waitFor(patience)
  expect(await figure(page, 'failed').textContent()).toBe('1')
  await page.locator(`[data-track="${sessionId}"][data-state=failed]`).waitFor(patience)
  expect(await strokes(page, sessionId, 'failed')).toBe(1)
  await ask('say well', { sessionId })
  await failure.waitFor({ state: 'detached', ...patience })
  await expect.poll(() => figure(page, 'failed').textContent()).toBe('0')
  expect(complaints).toEqual([])
})

it('is also the history, and has the same as a table', async () => {
  const { page, complaints } = await openBoard(house, '/')
  await page.locator('[data-tracks]').waitFor(patience)
  await page.getByRole('button', { name: 'As a table' }).click()
  const rows = page.locator('tr[data-track]')
  expect(await rows.count()).toBeGreaterThan(3)
  expect(await page.locator('tr[data-track]', { hasText: 'Failures' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Earlier 30 minutes' }).click()
  await page.getByText('Nothing moved in this half hour.').waitFor()
  expect(page.url()).toContain('until=')
  await page.reload()
  await page.getByText('Nothing moved in this half hour.').waitFor()
  await page.getByRole('button', { name: 'Now', exact: true }).click()
  await page.locator('[data-tracks]').waitFor()
  expect(complaints).toEqual([])
})

it('tells what was spent: today on Home, by agent and task on a page of its own, and what nobody knows', async () => {
  const { body } = await house.signalbox.call('POST', '/tasks', { title: 'Costly' })
  const { page, complaints } = await openBoard(house, '/')
  await page.locator('[data-spend-today]', { hasText: '$0.00' }).waitFor()
  await ask('cost 1.25\nusage 5000 700\nsay done', { taskId: body.data.id })
  await page.locator('[data-spend-today]', { hasText: '$1.25' }).waitFor(patience)
  await page.getByRole('link', { name: 'All spend' }).click()
  await page.locator('[data-spend-total]', { hasText: '$1.25' }).waitFor()
  await page.getByText('no cost: what they cost comes on top').waitFor()
  await page.locator('[data-chart] canvas').waitFor()
  await page.locator('[data-spend-by=task] tr', { hasText: 'Costly' }).getByText('$1.25').waitFor()
  await page.locator('[data-spend-by=agent] tr', { hasText: 'scripted' }).waitFor()
  await page.getByRole('button', { name: '7 days' }).click()
  await page.locator('[data-spend-total]', { hasText: '$1.25' }).waitFor()
  expect(complaints).toEqual([])
})

it('calls by a notification of the browser when nobody looks, if that is wanted', async () => {
  const { page, complaints } = await openPage(house.browser, { permissions: ['notifications'] })
  // A browser without a window hides no page.
  await page.addInitScript(
    `Object.defineProperty(document, 'hidden', { get: () => window.isHidden === true })`,
  )
  await page.goto(`${house.signalbox.url}/#token=${house.signalbox.token}`)
  await page.getByRole('button', { name: 'Notify me when something waits' }).click()
  await page.locator('[data-notifications=off]').waitFor()
  const told = () =>
    page.evaluate<string[]>(`navigator.serviceWorker.getRegistration()
      .then((registration) => registration?.getNotifications() ?? [])
      .then((shown) => shown.map(({ title, body }) => title + ' | ' + body))`)
  const quiet = await ask('ask one')
  await page.locator(`[data-track="${quiet.sessionId}"][data-state=waits]`).waitFor(patience)
  await page.locator('[data-notifications=off] button').click()
  await page.locator('[data-notifications=on]').waitFor()
  const seen = await ask('ask two')
  await page.locator(`[data-track="${seen.sessionId}"][data-state=waits]`).waitFor(patience)
  expect(await told()).toEqual([])
  await page.evaluate('window.isHidden = true')
  const unseen = await ask('ask three')
  await expect.poll(told, patience).toEqual(['3 questions wait for you | scripted: Asks to use execute'])
  for (const { id } of [quiet, seen, unseen]) await cancel(id)
  await page.getByText('Nothing waits for you.').waitFor(patience)
  await expect.poll(told).toEqual([])
  await page.locator('[data-notifications=on]').getByRole('button', { name: 'Do not notify me' }).click()
  await page.locator('[data-notifications=off]').waitFor()
  expect(complaints).toEqual([])
})

it('can be installed: its manifest and pictures are there, and the worker for notifications keeps nothing', async () => {
  const { url } = house.signalbox
  const manifest = await fetch(`${url}/manifest.webmanifest`)
  expect(manifest.headers.get('content-type')).toContain('application/manifest+json')
  const { icons, start_url: start } = (await manifest.json()) as {
    icons: { src: string }[]
    start_url: string
  }
  expect(start).toBe('/')
  for (const { src } of icons)
    expect((await fetch(url + src)).headers.get('content-type')).toContain('image/')
  const worker = await fetch(`${url}/notifications.js`)
  expect(worker.headers.get('cache-control')).toBe('no-cache')
  expect(await worker.text()).not.toMatch(/fetch|caches/)
})

it('is for the thumb on a phone: what waits comes first, is answered, and nothing is wider than the screen', async () => {
  const { id, sessionId } = await ask(`note ${join(store, 'phone')} thumb`)
  const { page, complaints } = await openPage(house.browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await page.goto(`${house.signalbox.url}/#token=${house.signalbox.token}`)
  const waits = page.locator('[data-waits]', { hasText: 'note thumb' })
  await waits.waitFor(patience)
  await track(page, sessionId).waitFor(patience)
  const [above, below] = await Promise.all([waits.boundingBox(), track(page, sessionId).boundingBox()])
  expect(above!.y).toBeLessThan(below!.y)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  const widest = await page.evaluate<number>(
    `Math.max(...[...document.querySelectorAll('main section, [data-approval-card] *')].map((each) => each.getBoundingClientRect().right))`,
  )
  expect(widest).toBeLessThanOrEqual(390)
  await page.getByRole('button', { name: /^Answer what/ }).tap()
  await page
    .locator(`[data-answer-here="${sessionId}"]`)
    .getByRole('button', { name: 'Allow', exact: true })
    .tap()
  await page.getByText('Nothing waits for you.').waitFor(patience)
  await expect
    .poll(async () => (await house.signalbox.call('GET', `/executions/${id}`)).body.data.status, patience)
    .toBe('succeeded')
  expect(complaints).toEqual([])
})

it('shows others only their own', async () => {
  const { body } = await house.signalbox.call('POST', '/users', { name: 'Ada', scopes: ['board', 'run'] })
  const ada = await call(house.signalbox.url, body.data.token, 'GET', '/tracks')
  expect(ada.body.data.tracks).toEqual([])
  const { page } = await openPage(house.browser)
  await page.goto(`${house.signalbox.url}/#token=${body.data.token}`)
  await page.getByRole('heading', { name: 'Put a first task on the board' }).waitFor()
})
