import type { BrowserContext, Page } from 'playwright-core'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openIssuer } from '../support/issuer.ts'
import { openHouse, openPage } from './browser.ts'

const house = openHouse()
const patience = { timeout: 30_000 }

/** Somebody's own browser, with them logged in and the tools open. */
async function browserOf(name: string) {
  const { signalbox } = house
  const { token } = (await signalbox.call('POST', '/users', { name, scopes: ['board', 'tools'] })).body.data
  const as = { authorization: `Bearer ${token}` }
  const { page, complaints } = await openPage(house.browser)
  await page.goto(`${signalbox.url}/tools#token=${token}`)
  await page.locator('[data-live=live]').first().waitFor()
  const whoAmI = async (source: string) =>
    (await signalbox.call('POST', `/tools/${source}.who_am_i/call`, { args: {} }, as)).body
  return { page, complaints, as, whoAmI }
}

/** A source whose issuer says yes to whoever comes: its page is left at once. */
async function guardedSource(name: string) {
  const issuer = await openIssuer()
  onTestFinished(() => issuer.close())
  const config = { transport: 'http', url: issuer.mcp.url, auth: { type: 'oauth' } }
  const { status } = await house.signalbox.call('POST', '/mcp/add', { name, config })
  expect(status).toBe(201)
  return issuer
}

const newTab = (context: BrowserContext): Promise<Page> => context.waitForEvent('page')
/** Where it was sent is neither in the address bar nor in the history. */
const addressOf = (page: Page) => page.evaluate<string>('location.pathname + location.search + location.hash')

it('lets Signalbox in at a source by a click, and comes back', async () => {
  const issuer = await guardedSource('acme')
  const ada = await browserOf('Ada')
  const [tab] = await Promise.all([
    newTab(ada.page.context()),
    ada.page.locator('[data-source=acme]').getByRole('button', { name: 'Let it in' }).click(patience),
  ])
  await tab.getByText('Signalbox may now use acme for you, Ada.').waitFor(patience)
  expect(await addressOf(tab)).toBe('/authorized')
  await ada.page.locator('[data-source=acme]').getByText('Works').waitFor(patience)
  await vi.waitFor(async () => {
    expect((await ada.whoAmI('acme')).data?.result.content[0].text).toMatch(/^You are access-/)
  }, patience)
  expect(issuer.times('/token')).toBe(1)
  expect(ada.complaints).toEqual([])

  await tab.reload()
  await tab.getByText('Nothing was brought here').waitFor(patience)
  expect(issuer.times('/token')).toBe(1)
})

it('gives nobody anything when somebody is lured to the way that another began', async () => {
  const issuer = await guardedSource('lure')
  const mallory = await browserOf('Mallory')
  const bea = await browserOf('Bea')
  const begun = await house.signalbox.call('POST', '/mcp/lure/authorize', undefined, mallory.as)
  await bea.page.goto(begun.body.data.authorizationUrl)
  await bea.page.getByText('It was somebody else who began this').waitFor(patience)
  expect(await addressOf(bea.page)).toBe('/authorized')
  expect(issuer.times('/token')).toBe(0)
  for (const { whoAmI } of [mallory, bea]) expect((await whoAmI('lure')).data).toBeUndefined()
  await bea.page.getByRole('link', { name: 'Open Tools' }).click()
  await bea.page.locator('[data-source=lure]').waitFor(patience)
  expect(bea.complaints).toEqual([])
})

it('lets nobody in from a browser where nobody is logged in, not even after a login', async () => {
  const issuer = await guardedSource('stranger')
  const cleo = await browserOf('Cleo')
  const begun = await house.signalbox.call('POST', '/mcp/stranger/authorize', undefined, cleo.as)
  const { page, complaints } = await openPage(house.browser)
  await page.goto(begun.body.data.authorizationUrl)
  await page.getByText('Log in, then open Tools and let it in again').waitFor(patience)
  expect(await addressOf(page)).toBe('/authorized')
  await page.getByLabel('Token').fill(cleo.as.authorization.replace('Bearer ', ''))
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByText('Nothing was brought here').waitFor(patience)
  expect(issuer.times('/token')).toBe(0)
  expect(complaints).toEqual([])
})

it('shows what an issuer says as words, and nothing else', async () => {
  const issuer = await guardedSource('denied')
  issuer.manners.denies = true
  const dora = await browserOf('Dora')
  const begun = await house.signalbox.call('POST', '/mcp/denied/authorize', undefined, dora.as)
  await dora.page.goto(begun.body.data.authorizationUrl)
  await dora.page.getByText('<b onclick=alert(1)>not today</b>').waitFor(patience)
  expect(await dora.page.locator('b').count()).toBe(0)
  expect(dora.complaints).toEqual([])
})
