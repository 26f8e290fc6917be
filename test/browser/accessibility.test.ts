import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { busyEnv, fillHouse } from '../support/busy-house.ts'
import type { BusyHouse } from '../support/busy-house.ts'
import { openHouse, openPage } from './browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'signalbox-busy-'))
const house = openHouse(undefined, busyEnv(folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let busy: BusyHouse
let axe = ''
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  busy = await fillHouse(house.signalbox, folder)
}, 120_000)

/** Each room, and by what it is known that it is there with what it shows. */
const rooms: Record<string, { path: () => string; sign: string }> = {
  Home: { path: () => '/', sign: '[data-track]' },
  Board: { path: () => '/board', sign: '[data-card]' },
  'an open task': { path: () => `/board?task=${busy.taskId}`, sign: 'aside h3' },
  Inbox: { path: () => '/inbox', sign: '[data-approval-card]' },
  Sessions: { path: () => '/sessions', sign: 'a[href^="/sessions/"]' },
  'a session': { path: () => `/sessions/${busy.finished.sessionId}`, sign: '[data-row=text]' },
  'a session that asks': { path: () => `/sessions/${busy.asking.sessionId}`, sign: '[data-approval-card]' },
  'a session that failed': { path: () => `/sessions/${busy.failed.sessionId}`, sign: '[data-end=failed]' },
  Agents: { path: () => '/agents', sign: '[data-agent]' },
  Tools: { path: () => '/tools', sign: '[data-source]' },
  Workspaces: { path: () => '/workspaces', sign: '[data-workspace]' },
  Machines: { path: () => '/machines', sign: '[data-machine]' },
  Spend: { path: () => '/spend', sign: 'table' },
  'the playground': { path: () => '/tools?view=code', sign: '.cm-content' },
  'the files of a session': {
    path: () => `/sessions/${busy.finished.sessionId}?view=files`,
    sign: '[data-entry], [role=tree], [role=treeitem]',
  },
  'the first steps': { path: () => '/welcome', sign: 'h2' },
  'Settings, appearance': { path: () => '/settings?section=appearance', sign: '[role=radiogroup]' },
  'Settings, you': { path: () => '/settings?section=you', sign: '[data-browser]' },
  'Settings, policies': { path: () => '/settings?section=policies', sign: '[data-agent-policy]' },
  'Settings, budgets': { path: () => '/settings?section=budgets', sign: '[data-budget]' },
  'Settings, models': { path: () => '/settings?section=models', sign: '[data-provider]' },
  'Settings, users': { path: () => '/settings?section=users', sign: '[data-section=users] button' },
  'Settings, runtime': { path: () => '/settings?section=runtime', sign: '[data-setting]' },
  'Settings, audit': { path: () => '/settings?section=audit', sign: '[data-audit]' },
  'Settings, about': { path: () => '/settings?section=about', sign: '[data-section=about] dl' },
}
const looks = [
  { name: 'on a desk, dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'on a phone, light', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const

describe.for(looks)(
  'a person who cannot see, or not well, finds the way $name',
  ({ colorScheme, viewport }) => {
    it.for(Object.entries(rooms))('in %s', async ([, { path, sign }]) => {
      const { page, complaints } = await openPage(house.browser, { colorScheme, viewport })
      const { url, token } = house.signalbox
      await page.goto(`${url}${path()}#token=${token}`)
      await page.locator(sign).first().waitFor({ timeout: 30_000, state: 'attached' })
      await page.locator('[data-live=live]').first().waitFor({ state: 'attached' })
      await expect.poll(() => page.locator('.animate-appear-late').count(), { timeout: 20_000 }).toBe(0)
      expect(await violations(page)).toEqual([])
      expect(complaints).toEqual([])
    })
  },
)

/** What axe calls serious or worse, with where it is. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found = await page.evaluate<AxeResults>(
    `axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    )
}
