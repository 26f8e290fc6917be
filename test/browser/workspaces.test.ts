import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it, vi } from 'vitest'
import { isLive } from '#contract/execution.ts'
import type { Workspace } from '#contract/workspace.ts'
import { git, makeRepository } from '../support/repository.ts'
import { openBoard, openPage } from './browser.ts'
import { openTalking } from './talking.ts'

const { house, ask } = openTalking()
const patience = { timeout: 20_000 }
let failing: Workspace
let worktree: Workspace

const call = async (method: string, path: string, body?: object) =>
  (await house.signalbox.call(method, path, body)).body.data
const rowOf = (page: Page, { id }: { id: string }) => page.locator(`[data-workspace="${id}"]`)
const rowNamed = (page: Page, name: string) => page.locator('[data-workspace]', { hasText: name })

beforeAll(async () => {
  const { work } = house.signalbox
  const empty = join(work, 'empty')
  mkdirSync(empty)
  const setup = 'test -e go || { echo "There is no go"; exit 1; }'
  failing = await call('POST', '/workspaces', { driver: 'folder', root: empty, name: 'Failing', setup })
  await call('POST', `/workspaces/${failing.id}/prepare`)

  const root = makeRepository(join(work, 'repository'), { 'notes.txt': 'one\ntwo\n' })
  const repository: Workspace = await call('POST', '/workspaces', {
    driver: 'folder',
    root,
    name: 'Repository',
  })
  const { id, sessionId } = await ask('say hello', { workspaceId: repository.id })
  await vi.waitUntil(async () => !isLive((await call('GET', `/executions/${id}`)).status), patience)
  const session = await call('GET', `/sessions/${sessionId}`)
  worktree = await call('GET', `/workspaces/${session.workspaceId}`)
}, 60_000)

it('lists workspaces with what can be done with each, and tells what can enclose agents here', async () => {
  const { page, complaints } = await openBoard(house, '/workspaces')
  const folder = rowNamed(page, 'Repository').first()
  await folder.waitFor()
  await rowOf(page, failing).getByText('There is no go').waitFor()
  await page.locator('[data-driver]').first().waitFor({ timeout: 30_000 }) // they are really tried
  for (const driver of ['folder', 'sandbox', 'docker'])
    expect(await page.locator(`[data-driver=${driver}]`).innerText()).toMatch(/Works|Does not work/)
  await rowOf(page, worktree).getByRole('button', { name: 'Changes' }).waitFor()
  expect([worktree.parentId !== null, worktree.state]).toEqual([true, 'ready'])
  // It has ports of its own, but no app that anybody could see there.
  expect(worktree.ports.length).toBeGreaterThan(1)
  expect(await page.getByRole('button', { name: 'Preview' }).count()).toBe(0)
  expect(complaints).toEqual([])
})

it('tries again what has failed, and says how it went', async () => {
  const { page, complaints } = await openBoard(house, '/workspaces')
  const again = rowOf(page, failing).getByRole('button', { name: 'Try again' })
  await again.click()
  await page.locator('[data-toast]', { hasText: 'That did not work' }).waitFor(patience)
  writeFileSync(join(failing.root, 'go'), '')
  await again.click()
  await rowOf(page, failing)
    .getByText(/Ready|In use/)
    .waitFor(patience)
  await again.waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

it('makes one by the form, and says why one cannot be made', async () => {
  const { page, complaints } = await openBoard(house, '/workspaces')
  await page.getByRole('button', { name: 'New workspace…' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('By hand')
  await form.getByRole('button', { name: 'Sandbox' }).click()
  await page.getByRole('menuitemradio', { name: 'Folder' }).click()
  await form.getByPlaceholder('/home/me/project').fill('/nowhere')
  await form.getByRole('button', { name: 'Make it' }).click()
  await form.getByRole('alert').waitFor()
  const root = join(house.signalbox.work, 'by-hand')
  mkdirSync(root)
  await form.getByPlaceholder('/home/me/project').fill(root)
  await form.getByRole('button', { name: 'Make it' }).click()
  await form.waitFor({ state: 'detached' })
  await rowNamed(page, 'By hand').waitFor()
  expect(complaints).toEqual([])
})

it('shows what a worktree has changed, line by line, and commits it', async () => {
  writeFileSync(join(worktree.root, 'notes.txt'), 'one\n-- two\n')
  const { page, complaints } = await openBoard(house, '/workspaces')
  await rowOf(page, worktree).getByRole('button', { name: 'Changes' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('[data-changed="notes.txt"]').waitFor()
  const lines = (kind: string) => dialog.locator(`[data-diff] [data-line=${kind}]`).allTextContents()
  expect([await lines('same'), await lines('removed'), await lines('added')]).toEqual([
    ['one'],
    ['two'],
    ['-- two'],
  ])
  await dialog.getByRole('textbox', { name: 'What this commit does' }).fill('Mark the second line')
  await dialog.getByRole('button', { name: 'Commit' }).click()
  await page.locator('[data-toast]', { hasText: worktree.branch! }).waitFor(patience)
  expect(git(worktree.root, 'log', '-1', '--format=%s')).toBe('Mark the second line')
  expect(complaints).toEqual([])
})

it('puts a worktree into the trash, and back with Undo', async () => {
  const { page, complaints } = await openBoard(house, '/workspaces')
  const row = rowOf(page, worktree)
  await row.getByRole('button', { name: 'Remove' }).click()
  await row.waitFor({ state: 'detached', ...patience })
  expect((await call('GET', `/workspaces/${worktree.id}`)).state).toBe('trashed')
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.getByText(/Ready|In use/).waitFor(patience)
  expect(git(worktree.root, 'log', '-1', '--format=%s')).toBe('Mark the second line')
  expect(complaints).toEqual([])
})

it('has room for every word of the bar at the bottom of a phone', async () => {
  const { url, token } = house.signalbox
  for (const width of [390, 360]) {
    const { page } = await openPage(house.browser, { viewport: { width, height: 800 }, colorScheme: 'dark' })
    await page.goto(`${url}/workspaces#token=${token}`)
    await rowOf(page, worktree).waitFor()
    const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('nav a, nav button')]
      .filter((entry) => {
        const { left, right } = entry.getBoundingClientRect()
        const label = entry.querySelector('span') ?? entry
        return left < 0 || right > innerWidth || label.scrollWidth > label.clientWidth
      })
      .map((entry) => entry.textContent)`)
    expect(cut).toEqual([])
  }
})
