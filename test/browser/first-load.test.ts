import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { openHouse, openPage } from './browser.ts'

const built = join(import.meta.dirname, '../../dist/web')
const house = openHouse()

it('loads with less than 150 KB of scripts and styles', async () => {
  const page = await readFile(join(built, 'index.html'), 'utf8')
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path)
  expect(files.length).toBeGreaterThan(2)
  const sizes = await Promise.all(
    files.map(async (file) => gzipSync(await readFile(join(built, file))).length),
  )
  const total = sizes.reduce((sum, size) => sum + size, gzipSync(page).length)
  expect(total).toBeLessThan(150 * 1024)
})

it('shows all of Home, the panels that come after its first paint counted, with less than 190 KB', async () => {
  const { page } = await openPage(house.browser)
  const files = new Set<string>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/\.(js|css)$/.test(pathname)) files.add(pathname)
  })
  // Nothing comes for later use: what is fetched is what Home needs.
  await page.route('**/', async (route) => {
    const answer = await route.fetch()
    const body = (await answer.text()).replace(/<meta name="idle-files"[^>]*>/, '')
    await route.fulfill({ response: answer, body })
  })
  await page.goto(`${house.signalbox.url}/#token=${house.signalbox.token}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('[data-live=live]').first().waitFor()
  await page.waitForLoadState('networkidle').catch(() => undefined)
  expect(files.size).toBeGreaterThan(2)
  expect([...files].filter((file) => file.includes('settings-page'))).toEqual([])
  const sizes = await Promise.all(
    [...files].map(async (file) => gzipSync(await readFile(join(built, file))).length),
  )
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(190 * 1024)
})

it('has nothing in the page that a strict content security policy would refuse', async () => {
  const page = await readFile(join(built, 'index.html'), 'utf8')
  expect(page).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son[a-z]+=/i)
})

it('serves nothing but the page and what it loads', async () => {
  const files = await readdir(built, { recursive: true })
  expect(files.filter((file) => /(^|\/)\./.test(file))).toEqual([])
})
