// `npm run pictures`: takes the pictures of docs/pictures/ from the real page of a Signalbox in the middle of a working day: every room
// on a desk, dark and light, and on a phone. Names of rooms as arguments take only those.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { startProduct } from '../bench/support/product.ts'
import { busyEnv, fillHouse } from '../test/support/busy-house.ts'
import type { BusyHouse } from '../test/support/busy-house.ts'
import { launchChromium } from '../test/support/chromium.ts'

const target = join(import.meta.dirname, '../docs/pictures')

/** Where each room is, and what is in it once it is whole. */
const rooms: Record<string, { path: (busy: BusyHouse) => string; sign: string }> = {
  home: { path: () => '/', sign: '[data-track]' },
  board: { path: () => '/board', sign: '[data-card]' },
  inbox: { path: () => '/inbox', sign: '[data-approval-card]' },
  session: { path: ({ finished }) => `/sessions/${finished.sessionId}`, sign: '[data-row=text]' },
  agents: { path: () => '/agents', sign: '[data-agent]' },
  tools: { path: () => '/tools', sign: '[data-source]' },
  workspaces: { path: () => '/workspaces', sign: '[data-workspace]' },
  machines: { path: () => '/machines', sign: '[data-machine]' },
  settings: { path: () => '/settings?section=policies', sign: 'h3' },
  playground: { path: () => '/tools?view=code', sign: '.cm-content' },
}
const looks = {
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: 'dark', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !Object.hasOwn(rooms, name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no room ${unknown.join(', ')}; there are ${Object.keys(rooms).join(', ')}.\n`,
  )
  process.exit(1)
}

const folder = await mkdtemp(join(tmpdir(), 'signalbox-busy-'))
const box = await startProduct(busyEnv(folder))
const browser = await launchChromium()
try {
  const busy = await fillHouse(box, folder)
  await stretchTime(box.databaseUrl)
  await mkdir(target, { recursive: true })
  for (const [look, options] of Object.entries(looks)) {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    for (const [room, { path, sign }] of Object.entries(rooms)) {
      if (wanted.length > 0 && !wanted.includes(room)) continue
      await page.goto(`${box.url}${path(busy)}#token=${box.token}`)
      await page.locator(sign).first().waitFor({ timeout: 60_000 })
      await settle(page)
      const picture = await asWebp(browser, await page.screenshot())
      await writeFile(join(target, `${room}-${look}.webp`), picture)
      process.stdout.write(`${room}-${look}.webp ${Math.ceil(picture.length / 1024)} KB\n`)
    }
    await context.close()
  }
} finally {
  await browser.close()
  await box.stop()
  await rm(folder, { recursive: true, force: true })
}

/** What the scripts did in seconds took half an hour. */
async function stretchTime(databaseUrl: string): Promise<void> {
  const columns = {
    events: ['at'],
    executions: ['created_at', 'started_at', 'ended_at'],
    approvals: ['asked_at'],
    sessions: ['created_at'],
    streams: ['last_at'],
    tasks: ['created_at'],
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ by: number }>(
    'select 1600 / extract(epoch from now() - min(created_at)) as by from executions',
  )
  for (const [table, names] of Object.entries(columns))
    for (const name of names)
      await client.query(`update ${table} set ${name} = now() - (now() - ${name}) * $1`, [rows[0]?.by])
  await client.end()
}

/** Nothing has changed on the page for a while. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const done = () => {
          observer.disconnect()
          resolve()
        }
        let timer = setTimeout(done, 1000)
        const observer = new MutationObserver(() => {
          clearTimeout(timer)
          timer = setTimeout(done, 1000)
        })
        observer.observe(document.body, { childList: true, subtree: true })
        setTimeout(done, 5000)
      }),
  )
}

/** The browser can write what a repository should not have to carry as PNG. */
async function asWebp(withBrowser: Browser, png: Buffer): Promise<Buffer> {
  const page = await withBrowser.newPage()
  try {
    const address = await page.evaluate(
      async (source) => {
        const image = new Image()
        image.src = source
        await image.decode()
        const canvas = document.createElement('canvas')
        canvas.width = image.naturalWidth
        canvas.height = image.naturalHeight
        canvas.getContext('2d')!.drawImage(image, 0, 0)
        return canvas.toDataURL('image/webp', 0.85)
      },
      `data:image/png;base64,${png.toString('base64')}`,
    )
    return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64')
  } finally {
    await page.close()
  }
}
