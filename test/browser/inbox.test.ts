import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { call } from '../support/signalbox.ts'
import { openBoard, openPage } from './browser.ts'
import { openTalking } from './talking.ts'

const { house, store, ask, capabilityId } = openTalking()

const card = (page: Page, text: string) => page.locator('[data-approval]', { hasText: text })
const status = async (id: string) =>
  (await house.signalbox.call('GET', `/executions/${id}`)).body.data.status as string
const patience = { timeout: 20_000 }

it('teaches when nothing waits, and calls as soon as something does', async () => {
  const { page, complaints } = await openBoard(house)
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await page.getByText('Nothing waits for you').waitFor()
  const { id } = await ask(`note ${join(store, 'first')} word`)
  await card(page, 'note word').waitFor(patience)
  await page.getByRole('link', { name: /Inbox.*1 question waits for you/ }).waitFor()
  expect(await card(page, 'note word').innerText()).toMatch(/Asks to use .*scripted.*note .*Caution/s)
  await house.signalbox.call('POST', `/executions/${id}/cancel`)
  await page.getByText('Nothing waits for you').waitFor(patience)
  expect(complaints).toEqual([])
})

it('makes no new task of a no that came too late', async () => {
  const { page } = await openBoard(house, '/inbox')
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
  await page.keyboard.press('n')
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  expect(await page.getByRole('dialog', { name: 'New task' }).count()).toBe(0)
})

it('is answered by keyboard, and gone in another browser too', async () => {
  const granted = await ask(`note ${join(store, 'granted')} word`)
  const refused = await ask(`note ${join(store, 'refused')} other`)
  const [mine, theirs] = await Promise.all([openBoard(house, '/inbox'), openBoard(house, '/inbox')])
  for (const { page } of [mine, theirs]) {
    await card(page, 'note word').waitFor(patience)
    await card(page, 'note other').waitFor(patience)
  }
  await mine.page.keyboard.press('j')
  await mine.page.keyboard.press('k')
  await mine.page.keyboard.press('y')
  await expect.poll(() => mine.page.locator('[data-approval]').count(), patience).toBe(1)
  await expect.poll(() => theirs.page.locator('[data-approval]').count(), patience).toBe(1)
  await mine.page.keyboard.press('j')
  await mine.page.keyboard.press('n')
  await mine.page.keyboard.type('Not today\n')
  for (const { page, complaints } of [mine, theirs]) {
    await page.getByText('Nothing waits for you').waitFor(patience)
    expect(complaints).toEqual([])
  }
  await expect.poll(() => status(granted.id), patience).toBe('succeeded')
  await expect.poll(() => status(refused.id), patience).toBe('succeeded')
  const done = ['granted', 'refused'].filter((name) => existsSync(join(store, name)))
  expect(done).toHaveLength(1)
  const { body } = await house.signalbox.call('GET', '/approvals?status=refused')
  expect(body.data[0]).toMatchObject({ reason: 'Not today', answeredBy: 'owner' })
})

it('does not answer the next one with a key that was meant for the last', async () => {
  const first = await ask('ask one')
  const second = await ask('ask two')
  const { page } = await openBoard(house, '/inbox')
  await expect.poll(() => page.locator('[data-approval]').count(), patience).toBe(2)
  const answers: string[] = []
  page.on('request', (request) => request.method() === 'POST' && answers.push(request.url()))
  // As soon as one is gone, the key comes down once more.
  await page.evaluate(`new MutationObserver((_, watcher) => {
    if (document.querySelectorAll('[data-approval]').length !== 1) return
    watcher.disconnect()
    const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', bubbles: true }))
    setTimeout(() => (press(), document.body.dataset.pressed = 'yes'), 60)
  }).observe(document.body, { subtree: true, childList: true })`)
  await page.keyboard.press('j')
  await page.keyboard.press('y')
  await page.locator('[data-pressed=yes]').waitFor()
  await page.getByText('1 waits', { exact: true }).waitFor()
  expect(answers).toHaveLength(1)
  for (const { id } of [first, second]) await house.signalbox.call('POST', `/executions/${id}/cancel`)
  await page.getByText('Nothing waits for you').waitFor(patience)
})

it('says so when somebody was quicker, and lets it go', async () => {
  const { id } = await ask('ask slowly')
  const waiting = async () => (await house.signalbox.call('GET', '/approvals?status=waiting')).body.data
  await expect.poll(async () => (await waiting()).length, patience).toBe(1)
  const { page, complaints } = await openPage(house.browser)
  // This page hears of nothing by itself.
  await page.route('**/sse/board', (route) => route.abort())
  await page.goto(`${house.signalbox.url}/inbox#token=${house.signalbox.token}`)
  await card(page, 'slowly').waitFor(patience)
  await house.signalbox.call('POST', `/approvals/${(await waiting())[0].id}`, { decision: 'granted' })
  await page.getByRole('button', { name: 'Allow', exact: false }).first().click()
  await page.locator('[data-toast=problem]', { hasText: 'Too late' }).waitFor()
  await page.getByText('Nothing waits for you').waitFor(patience)
  await expect.poll(() => status(id), patience).toBe('succeeded')
  expect(complaints).toEqual([])
})

/** Somebody else who may answer what the owner's agents ask: they are told the same way. */
it('tells whoever looks on who answered, and keeps what was answered today', async () => {
  const { body: made } = await house.signalbox.call('POST', '/users', {
    name: 'Grace',
    scopes: ['board', 'run', 'approve'],
  })
  const { token } = made.data
  const { url } = house.signalbox
  const asked = await call(url, token, 'POST', '/executions', {
    capabilityId: capabilityId(),
    prompt: 'ask about the points',
  })
  expect([asked.status, asked.body.error]).toEqual([201, undefined])
  const mine = await openBoard(house, '/inbox')
  await card(mine.page, 'about the points').waitFor(patience)
  const [waiting] = (await call(url, token, 'GET', '/approvals?status=waiting')).body.data
  const given = { decision: 'refused', reason: 'Not at night' }
  expect((await call(url, token, 'POST', `/approvals/${waiting.id}`, given)).status).toBe(200)
  await mine.page.locator('[data-toast]', { hasText: 'refused by Grace' }).waitFor(patience)
  await mine.page.getByText('Nothing waits for you').waitFor(patience)
  const line = mine.page.locator(`[data-answered="${waiting.id}"]`)
  await line.waitFor(patience)
  expect(await line.innerText()).toMatch(/Refused by Grace.*about the points.*Not at night/s)
  const second = await house.signalbox.call('POST', `/approvals/${waiting.id}`, { decision: 'granted' })
  expect([second.status, second.body.error.message]).toEqual([409, 'Grace has refused it already'])
  expect(mine.complaints).toEqual([])
})

it('is answered on a phone with one thumb, however long the question is', async () => {
  const { id } = await ask(`ask ${'very long '.repeat(300)}`)
  const { page } = await openPage(house.browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await page.goto(`${house.signalbox.url}/inbox#token=${house.signalbox.token}`)
  const allow = card(page, 'very long').getByRole('button', { name: 'Allow', exact: true })
  await allow.waitFor(patience)
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  for (const name of ['Allow', 'Refuse']) {
    const box = await card(page, 'very long').getByRole('button', { name, exact: true }).boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
    expect(box?.width).toBeGreaterThanOrEqual(140)
    expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThan(844)
  }
  await allow.tap()
  await page.getByText('Nothing waits for you').waitFor(patience)
  await expect.poll(() => status(id), patience).toBe('succeeded')
})

it('takes what is filled in', async () => {
  const { id, sessionId } = await ask('question Which colour?')
  const { page, complaints } = await openBoard(house, '/inbox')
  const form = card(page, 'Which colour?')
  await form.waitFor(patience)
  await page.keyboard.press('j')
  await page.keyboard.press('y')
  await page.keyboard.type('green\n')
  await page.getByText('Nothing waits for you').waitFor(patience)
  await expect.poll(() => status(id), patience).toBe('succeeded')
  const { body } = await house.signalbox.call('GET', `/sessions/${sessionId}/events?limit=1000`)
  expect(JSON.stringify(body.data)).toContain('green')
  expect(complaints).toEqual([])
})

it('remembers what is always allowed', async () => {
  const first = await ask(`note ${join(store, 'always')} same`)
  const { page } = await openBoard(house, '/inbox')
  await card(page, 'note same').waitFor(patience)
  await page.keyboard.press('j')
  await page.keyboard.press('a')
  await expect.poll(() => status(first.id), patience).toBe('succeeded')
  const second = await ask(`note ${join(store, 'always')} same`)
  await expect.poll(() => status(second.id), patience).toBe('succeeded')
  expect(readFileSync(join(store, 'always'), 'utf8')).toBe('same\nsame\n')
})

it('offers nobody what only the owner may do, and shows them nothing of others', async () => {
  await ask('ask for the owner')
  const rulesBefore = (await house.signalbox.call('GET', '/policies/rules')).body.data.length as number
  const { body } = await house.signalbox.call('POST', '/users', {
    name: 'Ada',
    scopes: ['board', 'run', 'approve'],
  })
  const { id, token } = body.data
  const url = house.signalbox.url
  const started = await call(url, token, 'POST', '/executions', {
    capabilityId: capabilityId(),
    prompt: 'ask for Ada',
  })
  expect([started.status, id]).toEqual([201, expect.any(String)])
  const { page, complaints } = await openPage(house.browser)
  await page.goto(`${url}/inbox#token=${token}`)
  await card(page, 'for Ada').waitFor(patience)
  expect(await page.locator('[data-approval]').count()).toBe(1)
  expect(await page.getByRole('button', { name: 'Always' }).count()).toBe(0)
  await page.keyboard.press('j')
  await page.keyboard.press('a')
  await page.keyboard.press('y')
  await page.getByText('Nothing waits for you').waitFor(patience)
  await expect.poll(() => status(started.body.data.id), patience).toBe('succeeded')
  expect((await house.signalbox.call('GET', '/policies/rules')).body.data).toHaveLength(rulesBefore)
  expect(complaints).toEqual([])
})

it('asks with choices, several of them, and room for something else', async () => {
  const { page, complaints } = await openPage(house.browser)
  const given: unknown[] = []
  const choices = ['Red', 'Green'].map((label) => ({ id: label, label, description: `It is ${label}` }))
  const questions = [
    { id: 'q1', question: 'Which colour?', header: 'Colour', choices, multiple: false },
    { id: 'q2', question: 'Which others?', choices, multiple: true },
    { id: 'q3', question: 'Why?', choices: [], multiple: false },
  ]
  const { body } = await house.signalbox.call('GET', '/approvals')
  const approval = { ...body.data[0], kind: 'question', status: 'waiting', title: 'Two questions', questions }
  // No agent here asks like this: only what the page makes of it is looked at.
  await page.route('**/approvals*', (route) =>
    route.fulfill({
      json: { data: given.length > 0 ? [] : [approval], meta: { total: 1, page: 1, pageSize: 100 } },
    }),
  )
  await page.route(`**/approvals/${approval.id}`, async (route) => {
    given.push(route.request().postDataJSON())
    await route.fulfill({ json: { data: approval } })
  })
  await page.goto(`${house.signalbox.url}/inbox#token=${house.signalbox.token}`)
  const form = card(page, 'Two questions')
  const part = (name: string) => form.getByRole('group', { name })
  await part('Which colour?').getByRole('radio', { name: 'Green' }).check()
  await part('Which others?').getByRole('checkbox', { name: 'Red' }).check()
  await part('Which others?').getByRole('textbox').fill('Blue')
  await form.getByRole('button', { name: 'Answer' }).click()
  expect(given).toEqual([])
  await part('Why?').getByRole('textbox').fill('Because')
  await form.getByRole('button', { name: 'Answer' }).click()
  await page.getByText('Nothing waits for you').waitFor()
  expect(given).toEqual([
    { decision: 'granted', content: { q1: 'Green', q2: ['Red', 'Blue'], q3: 'Because' } },
  ])
  expect(complaints).toEqual([])
})
