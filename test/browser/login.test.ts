import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openHouse, openBoard, openPage } from './browser.ts'

const house = openHouse()

const keyOf = (page: Page) =>
  page.evaluate<string>(`JSON.parse(localStorage.getItem('signalbox.session')).sessionKey`)

it('trades the token of the printed link, and leaves no trace of it in the address or in cookies', async () => {
  const { page, complaints } = await openBoard(house, '/board')
  expect(page.url()).toBe(`${house.signalbox.url}/board`)
  const kept = await page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.cookie')
  expect(kept).not.toContain(house.signalbox.token)
  expect(await page.context().cookies()).toEqual([])
  await page.goBack({ waitUntil: 'commit' }).catch(() => null)
  expect(page.url()).not.toContain('token')
  expect(complaints).toEqual([])
})

it('says where the token is, refuses a wrong one, and leads to where one wanted to go', async () => {
  const { page, complaints } = await openPage(house.browser)
  await page.goto(`${house.signalbox.url}/settings`)
  await page.getByText('~/.signalbox, unless SIGNALBOX_HOME says otherwise').waitFor()
  await page.getByLabel('Token').fill('not-a-token')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('alert').getByText('This token is not accepted').waitFor()
  await page.getByLabel('Token').fill(house.signalbox.token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  expect(page.url()).toBe(`${house.signalbox.url}/settings`)
  expect(complaints).toEqual([])
})

it.each([
  ['by the stream', /\/api\/v1\/(?!sse|auth)/],
  ['by an answer', /\/api\/v1\/sse/],
])(
  'asks again when it hears %s that its key is not accepted, and comes back to the same place',
  async (_how, away) => {
    const { page } = await openBoard(house, '/board?q=lamp')
    await house.signalbox.call('DELETE', '/auth/session', undefined, {
      authorization: `Bearer ${await keyOf(page)}`,
    })
    await page.route(away, (route) => route.abort())
    await page.reload()
    await page.getByRole('heading', { name: 'Log in to this Signalbox' }).waitFor()
    await page.unrouteAll()
    await page.goto(`${page.url()}#token=${house.signalbox.token}`)
    await page.locator('[data-live=live]').first().waitFor()
    expect(page.url()).toBe(`${house.signalbox.url}/board?q=lamp`)
  },
)

it('logs out everywhere in this browser, and the key opens nothing any more', async () => {
  const { page } = await openBoard(house, '/settings')
  const other = await page.context().newPage()
  await other.goto(house.signalbox.url)
  await other.locator('[data-live=live]').first().waitFor()
  const key = await keyOf(page)
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Log in to this Signalbox' }).waitFor()
  await other.getByRole('heading', { name: 'Log in to this Signalbox' }).waitFor()
  await expect
    .poll(
      async () =>
        (await house.signalbox.call('GET', '/tasks', undefined, { authorization: `Bearer ${key}` })).status,
    )
    .toBe(401)
})

it('keeps the chosen theme, and paints it from the first moment', async () => {
  const { page } = await openBoard(house, '/settings')
  await page.getByRole('radio', { name: 'Light' }).click()
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  expect(await ground()).toBe('rgb(246, 246, 243)')
  await page.reload({ waitUntil: 'commit' })
  await page.waitForFunction(() => document.documentElement?.dataset['theme'] === 'light')
  await page.getByRole('radio', { name: 'Dark' }).click()
  expect(await ground()).toBe('rgb(12, 14, 17)')
})
