import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { freshPage, onStage } from './stage.ts'
import type { Stage } from './stage.ts'

const loads = 7
const built = join(import.meta.dirname, '../../dist/web')

interface Load {
  painted: number
  largest: number
  shift: number
  blocked: number
}

/** The first visit to Home: nothing in the cache, logged in. What Lighthouse would print, from the same entries of the browser. */
export default function firstPaint(): Promise<Figure[]> {
  return onStage({}, async (stage) => {
    for (let n = 0; n < 20; n += 1) await stage.box.call('POST', '/tasks', { title: `Task ${n}` })
    const all: Load[] = []
    const bare: number[] = []
    for (let n = 0; n < loads; n += 1) {
      bare.push(await plainPaint(stage))
      const page = await freshPage(stage)
      all.push(await load(page, `${stage.box.url}/`))
      await page.context().close()
    }
    const middle = (pick: keyof Load) =>
      percentile(
        all.map((one) => one[pick]),
        0.5,
      )
    return [
      { name: 'what is loaded first, gzipped', ours: await firstLoad(), unit: 'KB', target: { most: 150 } },
      {
        name: 'first paint of Home, p50',
        ours: middle('painted'),
        unit: 'ms',
        target: { most: 1000 },
        peer: { name: 'a page of one line, same server', value: percentile(bare, 0.5) },
      },
      { name: 'largest paint of Home, p50', ours: middle('largest'), unit: 'ms', target: { most: 2500 } },
      {
        name: 'layout shift of Home, worst',
        ours: Math.max(...all.map(({ shift }) => shift)),
        unit: '',
        target: { most: 0.1 },
      },
      { name: 'blocked by long tasks, p50', ours: middle('blocked'), unit: 'ms', target: { most: 200 } },
    ]
  })
}

async function load(page: Page, address: string): Promise<Load> {
  await page.goto(address)
  await page.locator('[data-live=live]').first().waitFor()
  await page.waitForTimeout(1500)
  return page.evaluate(async () => {
    const entries = (type: string) =>
      new Promise<PerformanceEntry[]>((resolve) => {
        new PerformanceObserver((list, observer) => {
          observer.disconnect()
          resolve(list.getEntries())
        }).observe({ type, buffered: true })
        setTimeout(() => resolve([]), 300)
      })
    const shifts = (await entries('layout-shift')) as (PerformanceEntry & { value: number })[]
    const long = await entries('longtask')
    return {
      painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      largest: (await entries('largest-contentful-paint')).at(-1)?.startTime ?? Number.NaN,
      shift: shifts.reduce((sum, { value }) => sum + value, 0),
      blocked: long.reduce((sum, { duration }) => sum + duration - 50, 0),
    }
  })
}

/** The least that a page of this server on this machine takes. */
async function plainPaint({ box, browser }: Stage): Promise<number> {
  const page = await browser.newPage()
  await page.goto(`${box.url}/api/health`)
  const painted = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  )
  await page.close()
  return painted
}

async function firstLoad(): Promise<number> {
  const page = await readFile(join(built, 'index.html'), 'utf8')
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path)
  const sizes = await Promise.all(
    files.map(async (file) => gzipSync(await readFile(join(built, file))).length),
  )
  return sizes.reduce((sum, size) => sum + size, gzipSync(page).length) / 1024
}
