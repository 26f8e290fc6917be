import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorker } from '../support/lone-worker.ts'
import type { LoneWorker } from '../support/lone-worker.ts'
import { openBoard } from './browser.ts'
import { find, openFound, patience, rowOf, scan } from './found-programs.ts'

let databaseUrl = ''
const { house, bin } = openFound(['here-tool'], { prepare: (url) => (databaseUrl = url) })
const elsewhere = mkdtempSync(join(tmpdir(), 'signalbox-elsewhere-'))
let worker: LoneWorker
let [here, there] = ['', '']

beforeAll(async () => {
  mkdirSync(join(elsewhere, 'bin'))
  writeFileSync(join(elsewhere, 'bin/there-tool'), '#!/bin/sh\n', { mode: 0o755 })
  const machines = async (): Promise<string[]> =>
    (await house.signalbox.call('GET', '/workers/status')).body.data.map(
      ({ machineId }: { machineId: string }) => machineId,
    )
  const [first = ''] = await machines()
  here = first
  worker = startWorker(elsewhere, databaseUrl, { PATH: join(elsewhere, 'bin') })
  while (there === '') {
    there = (await machines()).find((id) => id !== here) ?? ''
    await wait(100)
  }
}, 90_000)
afterAll(async () => {
  worker.process.kill('SIGTERM')
  await worker.exited
  rmSync(elsewhere, { recursive: true, force: true })
}, 30_000)

const lineOf = (page: Page, machine: string) => page.locator(`[data-machine="${machine}"]`)
const ended = (page: Page, machine: string) =>
  lineOf(page, machine).locator('[data-scan=done]').waitFor({ timeout: 60_000 })

it('tells of each machine how its own scan goes', { timeout: 150_000 }, async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await page.getByRole('heading', { name: 'Found on 2 machines' }).waitFor(patience)
  await scan(page)
  for (const machine of [here, there]) await ended(page, machine)
  // Only one of them looks, and finds something.
  for (const [name, machine, other] of [
    ['later-here', here, there],
    ['later-there', there, here],
  ] as const) {
    const folder = machine === here ? bin : join(elsewhere, 'bin')
    writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 })
    await house.signalbox.call('POST', '/discovery/scan', { machineId: machine })
    await lineOf(page, machine).getByText('1 new').waitFor({ timeout: 60_000 })
    await ended(page, machine)
    expect(await lineOf(page, other).getByText(`Looked`).count()).toBe(1)
  }
  // Who comes later is told of both, too, though the stream tells of the last one alone.
  await page.reload()
  for (const machine of [here, there]) await lineOf(page, machine).getByText('1 new').waitFor(patience)
  expect(complaints).toEqual([])
})

it('says of each program on which machine it is, and confirms those of several at once', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  for (const name of ['here-tool', 'there-tool']) {
    await find(page, name)
    await rowOf(page, name).getByRole('checkbox').check()
  }
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByText('2 programs can be used now').waitFor(patience)
  const { body } = await house.signalbox.call('GET', '/agents')
  const agents: { name: string; machineId: string }[] = body.data
  for (const [name, machineId] of [
    ['here-tool', here],
    ['there-tool', there],
  ])
    expect(agents).toContainEqual(expect.objectContaining({ name, machineId }))
  await rowOf(page, 'there-tool').getByRole('button').click()
  await page.getByRole('dialog').getByText('Machine', { exact: true }).waitFor(patience)
  expect(complaints).toEqual([])
})
