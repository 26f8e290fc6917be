import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
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
const rowIdOf = async (name: string): Promise<Workspace> =>
  (await call('GET', '/workspaces?pageSize=200')).find((one: Workspace) => one.name === name)
/** From the menu of a row. */
async function choose(page: Page, row: Locator, name: string): Promise<void> {
  await row
    .getByRole('button', { name: /^More for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name }).click()
}
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
  const submit = form.getByRole('button', { name: 'Make it' })
  expect(await submit.isDisabled()).toBe(true)
  await form.getByPlaceholder('/home/me/project').fill('nowhere')
  await form.getByText('must be an absolute path').waitFor()
  expect(await submit.isDisabled()).toBe(true)
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
  await choose(page, row, 'Move to trash')
  await row.waitFor({ state: 'detached', ...patience })
  expect((await call('GET', `/workspaces/${worktree.id}`)).state).toBe('trashed')
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.getByText(/Ready|In use/).waitFor(patience)
  expect(git(worktree.root, 'log', '-1', '--format=%s')).toBe('Mark the second line')
  expect(complaints).toEqual([])
})

it('shows a worktree below its repository, with the sessions that work in it and what it takes', async () => {
  const { page, complaints } = await openBoard(house, '/workspaces')
  const below = page.getByRole('list', { name: 'Worktrees of Repository' })
  const row = below.locator(`[data-workspace="${worktree.id}"]`)
  await row.getByRole('button', { name: '1 session' }).click()
  const inside = row.getByRole('list', { name: 'Sessions that work here' })
  await inside.locator(`[data-session="${worktree.sessionId}"]`).waitFor()
  await choose(page, row, 'Measure its disk use')
  await page.locator('[data-toast]', { hasText: 'takes' }).waitFor(patience)
  await expect.poll(() => row.locator('[data-disk]').innerText()).toMatch(/\d (KB|MB)/)
  await expect.poll(() => page.locator('[data-disk-use]').innerText()).toMatch(/in workspaces.*free/)
  await inside.getByRole('link').click()
  await page.waitForURL(`**/sessions/${worktree.sessionId}`)
  expect(complaints).toEqual([])
})

it('saves one to an archive, starts another from it, and deletes the archive after asking', async () => {
  const { page, complaints } = await openBoard(house, '/workspaces')
  await choose(page, rowNamed(page, 'Repository').first(), 'Save to an archive…')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('kept')
  await dialog.getByRole('button', { name: 'Save it' }).click()
  await page.locator('[data-toast]', { hasText: 'Saved as kept' }).waitFor(patience)
  await page.getByRole('link', { name: 'Archives' }).click()
  const row = page.locator('[data-archive]', { hasText: 'kept' })
  const arriving = page.waitForEvent('download')
  await row.getByRole('button', { name: /^Download/ }).click()
  expect((await arriving).suggestedFilename()).toMatch(/^kept.*tar\.zst$/)
  await row.getByRole('button', { name: 'Start one from it…' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('From the archive')
  await dialog.getByRole('button', { name: 'Make it' }).click()
  const started = rowNamed(page, 'From the archive')
  await started.getByRole('button', { name: 'Prepare' }).click()
  await started.getByText(/Ready|In use/).waitFor({ timeout: 40_000 })
  await page.getByRole('link', { name: 'Archives' }).click()
  await row.getByRole('button', { name: /^Delete/ }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await row.getByRole('button', { name: /^Delete/ }).click()
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByText('Nothing is saved yet').waitFor()
  expect(complaints).toEqual([])
})

it('has a trash, from which one is restored, or deleted for good by keyboard alone', async () => {
  const one = await rowIdOf('From the archive')
  const { page, complaints } = await openBoard(house, '/workspaces')
  await choose(page, rowOf(page, one), 'Move to trash')
  await rowOf(page, one).waitFor({ state: 'detached', ...patience })
  await page.getByRole('link', { name: 'Trash' }).click()
  await rowOf(page, one).getByRole('button', { name: 'Restore' }).click()
  await rowOf(page, one).waitFor({ state: 'detached', ...patience })
  await page.getByText('The trash is empty').waitFor()
  await page
    .getByRole('navigation', { name: 'What is shown' })
    .getByRole('link', { name: 'Workspaces' })
    .click()
  await choose(page, rowOf(page, one), 'Move to trash')
  await rowOf(page, one).waitFor({ state: 'detached', ...patience })
  await page.getByRole('link', { name: 'Trash' }).click()
  await rowOf(page, one).getByRole('button', { name: 'Delete From the archive for good' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('cannot be had back').waitFor()
  await dialog.getByRole('button', { name: 'Delete for good' }).focus()
  await page.keyboard.press('Enter')
  await rowOf(page, one).waitFor({ state: 'detached', ...patience })
  expect((await house.signalbox.call('POST', `/workspaces/${one.id}/restore`)).status).toBe(409)
  expect(complaints).toEqual([])
})

it('lists what cleaning up would remove, and removes it when told to', async () => {
  const left = join(house.signalbox.home, 'workspaces', '0198a8a0-0000-7000-8000-000000000000')
  mkdirSync(left, { recursive: true })
  writeFileSync(join(left, 'crumbs'), 'left by a crash\n')
  const { page, complaints } = await openBoard(house, '/workspaces')
  await page.getByRole('button', { name: 'Clean up…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('[data-prune]').getByText('0198a8a0-0000-7000-8000-000000000000').waitFor(patience)
  expect(existsSync(left)).toBe(true)
  await dialog.getByRole('button', { name: /^Delete 1 item/ }).click()
  await dialog.waitFor({ state: 'detached', ...patience })
  expect(existsSync(left)).toBe(false)
  await page.getByRole('button', { name: 'Clean up…' }).click()
  await dialog.getByText('There is nothing to clean up.').waitFor(patience)
  expect(complaints).toEqual([])
})

it('changes one, and says so when one has vanished meanwhile', async () => {
  const root = join(house.signalbox.work, 'vanishing')
  mkdirSync(root)
  const one: Workspace = await call('POST', '/workspaces', { driver: 'folder', root, name: 'Vanishing' })
  const { page, complaints } = await openBoard(house, '/workspaces')
  await choose(page, rowOf(page, one), 'Change…')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Renamed')
  await dialog.getByLabel('Setup').fill('true')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await rowOf(page, one).getByText('Renamed').waitFor()
  expect(await call('GET', `/workspaces/${one.id}`)).toMatchObject({ name: 'Renamed', setup: 'true' })
  await page.route('**/api/v1/workspaces?**', (route) => route.abort()) // what is shown grows old
  await call('DELETE', `/workspaces/${one.id}`)
  await call('POST', `/workspaces/${one.id}/forget`)
  await choose(page, rowOf(page, one), 'Measure its disk use')
  await page
    .locator('[data-toast=problem]', { hasText: 'Renamed is gone: it was removed meanwhile' })
    .waitFor()
  expect(complaints).toEqual([])
})

it('works on a phone: nothing is wider than the screen, and every row has its menu', async () => {
  const { url, token } = house.signalbox
  const { page } = await openPage(house.browser, { viewport: { width: 390, height: 844 }, hasTouch: true })
  for (const path of ['/workspaces', '/workspaces?view=trash', '/workspaces?view=archives']) {
    await page.goto(`${url}${path}#token=${token}`)
    await page.getByRole('link', { name: 'Trash' }).waitFor()
    await page.waitForTimeout(500)
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(390)
  }
  await page.goto(`${url}/workspaces`)
  await choose(page, rowOf(page, worktree), 'Change…')
  await page.getByRole('dialog').waitFor()
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
