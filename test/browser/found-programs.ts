import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { openHouse } from './browser.ts'
import type { House } from './browser.ts'

export const patience = { timeout: 30_000 }

export interface FoundPrograms {
  house: House
  /** The first folder on PATH, with programs of the test's own. */
  bin: string
}

interface Surroundings {
  prepare?: (databaseUrl: string) => void
  /** Where the machine's own programs are. */
  path?: string
}

/** A house on whose PATH there are these programs, before those that the machine has: each says what it was started with. */
export function openFound(
  names: readonly string[],
  { prepare, path = '/usr/bin:/bin' }: Surroundings = {},
): FoundPrograms {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-found-'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  const bin = join(home, 'bin')
  mkdirSync(bin)
  for (const name of names) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s' '${name}'\nprintf ' <%s>' "$@"\necho\n`)
    chmodSync(join(bin, name), 0o755)
  }
  writeFileSync(join(home, '.bash_history'), 'git status\ngit log\ngit diff\ntar tf x.tar\n')
  const before = prepare && ((url: string) => Promise.resolve(prepare(url)))
  return { house: openHouse(before, { HOME: home, PATH: `${bin}:${path}` }), bin }
}

export const rowOf = (page: Page, name: string) => page.locator(`[data-found="${name}"]`)
export const agentOf = (page: Page, name: string) => page.locator(`[data-agent="${name}"]`)

/** Scans, and waits until what is there has been written down. */
export async function scan(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Scan', exact: true }).click(patience)
  await page.locator('button:enabled', { hasText: /^Scan$/ }).waitFor(patience)
}

export async function find(page: Page, name: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Find a program' }).fill(name)
  await rowOf(page, name).getByRole('checkbox').waitFor(patience)
}

/** Finds and confirms all of them at once. */
export async function confirmAll(page: Page, names: readonly string[]): Promise<void> {
  await scan(page)
  for (const name of names) {
    await find(page, name)
    await rowOf(page, name).getByRole('checkbox').check()
  }
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByText(`${names.length} programs can be used now`).waitFor({ timeout: 50_000 })
  for (const name of names) await agentOf(page, name).waitFor(patience)
}
