import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import pg from 'pg'
import { expect, it } from 'vitest'
import { registerShell } from '../support/shell-agent.ts'
import { openBoard, openHouse, openPage } from './browser.ts'

const report = (notClaiming: string | null) =>
  JSON.stringify({
    version: '0.0.9',
    pid: 7,
    live: { coding: 2, tool: 0, chat: 0 },
    limit: { coding: 3, tool: 16, chat: 100 },
    freeDiskBytes: 3_000_000_000,
    notClaiming,
    isolation: 'process-group',
    keepers: 1,
    workspaces: [],
  })

/** Beside the machine that serves: one that is silent, one that was stopped, and one that has no room left. */
async function addMachines(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `insert into machines (id, name, worker_id, url, report, seen_at, stopped_at) values
       (gen_random_uuid(), 'silent', 'silent', 'unix:silent', $1, now() - interval '2 hours', null),
       (gen_random_uuid(), 'stopped', 'stopped', 'unix:stopped', null, now() - interval '2 days', now() - interval '2 days'),
       (gen_random_uuid(), 'full', 'full', 'unix:full', $2, now() + interval '1 day', null)`,
    [report(null), report('Only 3 GB of disk are free, and 5 GB are to stay free')],
  )
  await client.end()
}

const house = openHouse(addMachines)
const patience = { timeout: 20_000 }
const machine = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

it('tells of every machine how it is, and why it does nothing', async () => {
  const { page, complaints } = await openBoard(house)
  await page.keyboard.press('g')
  await page.keyboard.press('m')
  await page.getByText('4 machines').waitFor()
  await machine(page, 'silent').getByText('Not heard of', { exact: true }).waitFor()
  await machine(page, 'silent')
    .getByText(/Not heard of since .*taken up when it is back/)
    .waitFor()
  await machine(page, 'stopped').getByText('Stopped', { exact: true }).waitFor()
  await machine(page, 'stopped').getByText('2 days ago').waitFor()
  await machine(page, 'full').getByText('Takes nothing', { exact: true }).waitFor()
  await machine(page, 'full').getByText('Only 3 GB of disk are free').waitFor()
  expect(await machine(page, 'full').locator('[data-load=coding]').innerText()).toContain('2 of 3')
  // Nobody knows what a machine runs that is away.
  expect(await machine(page, 'silent').locator('[data-load=coding]').innerText()).toContain('0 of 3')
  expect(complaints).toEqual([])
})

it('tells of the one that serves what it runs, what room it has, what it encloses agents with, and its sources', async () => {
  const { signalbox } = house
  const workers = (await signalbox.call('GET', '/workers/status')).body.data
  const own = workers.find(
    (each: { state: string; name: string }) => each.state === 'up' && each.name !== 'full',
  )
  await signalbox.call('POST', '/mcp/add', {
    name: 'away',
    config: { transport: 'http', url: 'http://127.0.0.1:9/mcp' },
  })
  const { page, complaints } = await openBoard(house, '/machines')
  const card = page.locator(`[data-machine="${own.machineId}"]`)
  await card.getByText('Live', { exact: true }).waitFor()
  expect(await card.innerText()).toContain(own.machineId)
  await card.locator('[data-driver=folder][data-works=true]').waitFor(patience)
  expect(await card.locator('[data-driver]').count()).toBe(3)
  await card.locator('[data-source=away]', { hasText: 'Does not work' }).waitFor(patience)
  const load = card.locator('[data-load=tool]')
  expect(await load.innerText()).toMatch(/0 of 16/)
  const shell = await registerShell(signalbox)
  await shell.run(`while [ ! -e "${join(signalbox.work, 'go')}" ]; do sleep 0.05; done`)
  await load.getByText('1 of 16').waitFor(patience)
  await writeFile(join(signalbox.work, 'go'), '')
  await load.getByText('0 of 16').waitFor(patience)
  expect(complaints).toEqual([])
})

it('says so when they cannot be read, and fits on a phone', async () => {
  const { page, complaints } = await openPage(house.browser, { viewport: { width: 390, height: 844 } })
  await page.goto(`${house.signalbox.url}/machines#token=${house.signalbox.token}`)
  await machine(page, 'silent').waitFor(patience)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect(complaints).toEqual([])
  await page.route('**/workers/status', (route) => route.abort())
  await page.reload()
  await page.getByRole('heading', { name: 'The machines could not be read' }).waitFor(patience)
  await page.unroute('**/workers/status')
  await page.getByRole('button', { name: 'Try again' }).click()
  await machine(page, 'silent').waitFor(patience)
})
