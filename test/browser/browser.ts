import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import { freshDatabase } from '../support/postgres.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

export interface House {
  signalbox: Signalbox
  browser: Browser
}

/** The real product on a database of its own, and a Chromium, for all tests of a file. */
export function openHouse(
  prepare: (databaseUrl: string) => Promise<void> = async () => undefined,
  env: Record<string, string> = {},
): House {
  const house: Partial<House> = {}
  const endings: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    const database = await freshDatabase()
    endings.push(() => database.drop())
    await prepare(database.url)
    const signalbox = await startSignalbox({ env: { DATABASE_URL: database.url, ...env } })
    endings.push(() => signalbox.stop())
    const browser = await launchChromium()
    endings.push(() => browser.close())
    Object.assign(house, { signalbox, browser })
  }, 60_000)
  afterAll(async () => {
    for (const end of endings.toReversed()) await end()
  }, 60_000)
  return house as House
}

export interface Opened {
  page: Page
  /** What the browser complained about, the content security policy above all. Refused requests are not complaints. */
  complaints: string[]
}

/** A page in a context of its own, as another person's browser would be; closed when the test has finished. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) complaints.push(text)
  })
  return { page, complaints }
}

/** Opens the board as its owner does: by the printed link. */
export async function openBoard({ browser, signalbox }: House, path = '/board'): Promise<Opened> {
  const { url, token } = signalbox
  const opened = await openPage(browser)
  await opened.page.goto(`${url}${path}#token=${token}`)
  await opened.page.locator('[data-live=live]').first().waitFor()
  return opened
}

export const cardIn = (page: Page, column: string, title: string) =>
  page.locator(`[data-column=${column}] [data-card]`, { hasText: title })

/** The titles of a column, from top to bottom. */
export const titlesIn = (page: Page, column: string) =>
  page.locator(`[data-column=${column}] [data-card] .font-medium`).allTextContents()

export const focusedTitle = (page: Page) =>
  page.evaluate<string | null>(`document.activeElement.querySelector('.font-medium')?.textContent ?? null`)
