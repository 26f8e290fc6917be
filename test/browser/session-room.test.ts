import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it, vi } from 'vitest'
import { isLive } from '#contract/execution.ts'
import type { Workspace } from '#contract/workspace.ts'
import { git, makeRepository } from '../support/repository.ts'
import { openBoard, openPage } from './browser.ts'
import { openTalking } from './talking.ts'

const { house, store, ask } = openTalking()
const patience = { timeout: 20_000 }
const phone = { viewport: { width: 390, height: 844 } }
let repository: Workspace

const call = async (method: string, path: string, body?: object) =>
  (await house.signalbox.call(method, path, body)).body.data
const composer = (page: Page) => page.getByRole('textbox', { name: 'Message to scripted' })
const tab = (page: Page, name: string) => page.locator(`[data-tab=${name}]`)
const ended = (id: string) =>
  vi.waitUntil(async () => !isLive((await call('GET', `/executions/${id}`)).status), patience)

beforeAll(async () => {
  const root = makeRepository(join(house.signalbox.work, 'repository'), {
    'notes.txt': 'one\ntwo\nthree\n',
    'long.txt': Array.from({ length: 3000 }, (_, line) => `line ${line + 1}\n`).join(''),
  })
  repository = await call('POST', '/workspaces', { driver: 'folder', root, name: 'Repository' })
})

/** A session that has worked in a worktree of its own, and where that is. */
async function worked(prompt: string): Promise<{ sessionId: string; worktree: Workspace }> {
  const { id, sessionId } = await ask(prompt, { workspaceId: repository.id })
  await ended(id)
  const { workspaceId } = await call('GET', `/sessions/${sessionId}`)
  return { sessionId, worktree: await call('GET', `/workspaces/${workspaceId}`) }
}

/** The prompts that the agent was given, as it got them. */
const prompts = (): string[] =>
  readFileSync(join(store, 'received'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { method?: string; params?: { prompt?: { text?: string }[] } })
    .flatMap(({ method, params }) => (method === 'session/prompt' ? [params?.prompt?.[0]?.text ?? ''] : []))

it('shows what has changed, keeps comments over a reload, and sends them to the agent as one message', async () => {
  const { sessionId } = await worked(
    "sh printf 'one\\n2\\nthree\\nfour\\n' > notes.txt; echo new > extra.txt",
  )
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  await tab(page, 'changes').getByText('2').waitFor(patience)
  const list = page.getByRole('list', { name: 'Files that have changed' })
  expect(await list.innerText()).toMatch(/extra\.txt\s+new\s+\+1 −0[^]*notes\.txt\s+changed\s+\+2 −1/)
  const lines = (kind: string) => page.locator(`[data-diff] [data-line=${kind}]`).allTextContents()
  expect([await lines('removed'), await lines('added')]).toEqual([['two'], ['new', '2', 'four']])

  const number = (place: string) => page.locator(`[data-path="notes.txt"][data-number="${place}"]`)
  await number('after 2').click()
  await page
    .getByRole('textbox', { name: 'Comment on notes.txt, line 2', exact: true })
    .fill('Write it as a word.')
  await page.keyboard.press('Control+Enter')
  // A range by the keyboard, on the side of what was there before.
  await number('before 1').focus()
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Enter')
  await page
    .getByRole('textbox', { name: 'Comment on notes.txt, lines 1 to 2 as they were before' })
    .waitFor()
  await page.keyboard.type('These were <b>fine</b>.')
  await page.reload()
  await page.locator('[data-review]', { hasText: '2 comments' }).waitFor(patience)
  await page.locator('[data-comment]', { hasText: 'Write it as a word.' }).waitFor()
  await page.locator('[data-review]').getByRole('button', { name: 'Send to scripted' }).click()
  const message = [
    '2 comments on your changes:',
    'notes.txt, lines 1 to 2 as they were before:\n```\none\ntwo\n```\nThese were <b>fine</b>.',
    'notes.txt, line 2:\n```\n2\n```\nWrite it as a word.',
  ].join('\n\n')
  await expect.poll(prompts, patience).toContain(message)
  await page.locator('[data-row=message]', { hasText: '2 comments on your changes' }).waitFor(patience)
  expect(await page.locator('[data-comment]').count()).toBe(0)
  await page.reload()
  await page.locator('[data-diff]').waitFor(patience)
  expect(await page.locator('[data-review]').count()).toBe(0)
  expect(complaints).toEqual([])
})

it('commits under a name that is suggested, tells of a conflict file by file, has it settled, and merges', async () => {
  const { sessionId, worktree } = await worked('sh echo theirs > notes.txt')
  const root = repository.root
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}?view=changes`)
  const bar = page.locator('[data-git]')
  const merge = bar.getByRole('button', { name: 'Merge into main' })
  await bar.getByText('1 file is not committed').waitFor(patience)
  expect(await merge.isDisabled()).toBe(true)
  expect(await bar.getByRole('textbox').inputValue()).toBe('sh echo theirs > notes.txt')
  await bar.getByRole('textbox').fill('Say what they say')
  await bar.getByRole('button', { name: 'Commit' }).click()
  await bar.getByPlaceholder('Everything is committed.').waitFor(patience)
  expect(git(worktree.root, 'log', '-1', '--format=%s')).toBe('Say what they say')

  writeFileSync(join(root, 'notes.txt'), 'ours\n')
  git(root, 'commit', '--quiet', '--all', '--message', 'Ours')
  await merge.click()
  const conflict = page.locator('[data-conflict]')
  await conflict.getByText('Not merged into main').waitFor(patience)
  expect(await conflict.getByRole('listitem').allTextContents()).toEqual(['notes.txt'])
  await conflict.getByRole('button', { name: 'Ask scripted to settle it' }).click()
  await expect.poll(() => prompts().at(-1), patience).toMatch(/^Merge main into this branch[^]*- notes\.txt/)
  git(worktree.root, 'merge', '--quiet', '-s', 'ours', '-m', 'Settle it', 'main')
  await page.getByRole('button', { name: 'Look again' }).first().click()
  await merge.click()
  await page.locator('[data-toast]', { hasText: 'Merged into main' }).waitFor(patience)
  expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('theirs\n')
  expect(complaints).toEqual([])
})

it('says so when the files of a session have vanished', async () => {
  const { sessionId, worktree } = await worked('sh echo x > extra.txt')
  renameSync(worktree.root, `${worktree.root}.gone`)
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}?view=changes`)
  await page.getByText('What has changed cannot be shown').waitFor(patience)
  await tab(page, 'files').click()
  await page.getByText('The files of this session cannot be reached').waitFor(patience)
  renameSync(`${worktree.root}.gone`, worktree.root)
  await page.getByRole('button', { name: 'Look again' }).click()
  await page.locator('[data-entry="extra.txt"]').waitFor(patience)
  expect(complaints).toEqual([])
})

it('looks through the files: folders, names, contents, and one of them with its lines', async () => {
  const { sessionId, worktree } = await worked('say here')
  mkdirSync(join(worktree.root, 'deep/er'), { recursive: true })
  writeFileSync(join(worktree.root, 'deep/er/Found.txt'), 'nothing\nthe <script>needle</script>\n')
  writeFileSync(join(worktree.root, 'deep/binary'), Buffer.from([0, 1, 2, 0xff]))
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}?view=files`)
  await page.locator('[data-folder=deep]').click(patience)
  await page.locator('[data-folder="deep/er"]').click()
  await page.locator('[data-entry="deep/er/Found.txt"]').click()
  await page.getByText('the <script>needle</script>').waitFor()
  expect(new URL(page.url()).searchParams.get('file')).toBe('deep/er/Found.txt')
  await page.getByRole('link', { name: 'All files' }).click()
  await page.getByRole('searchbox', { name: 'Find files' }).fill('found')
  await page.locator('[data-found] [data-entry="deep/er/Found.txt"]').waitFor()
  await page.getByRole('button', { name: 'Contents' }).click()
  await page.getByRole('searchbox', { name: 'Find files' }).fill('NEEDLE</')
  await page.locator('[data-found]').getByText('the <script>needle').click()
  await page.locator('[data-shown]', { hasText: 'needle' }).waitFor()

  await page.goto(`${house.signalbox.url}/sessions/${sessionId}?view=files&file=long.txt`)
  await page.getByText('3,000 lines').waitFor(patience)
  expect(await page.locator('[data-file-view] [data-index]').count()).toBeLessThan(150)
  await page.getByRole('region', { name: 'Contents of long.txt' }).focus()
  await page.keyboard.press('Control+f')
  await page.keyboard.type('line 29')
  await page.getByText('1 of 111').waitFor()
  await page.keyboard.press('Shift+Enter')
  await page.locator('[data-shown]', { hasText: 'line 2999' }).waitFor()
  await page.goto(`${house.signalbox.url}/sessions/${sessionId}?view=files&file=deep/binary`)
  await page.getByText('This could not be read').waitFor(patience)
  expect(complaints).toEqual([])
})

it('keeps its panel as it was left, its tab in the address, and tells what is known of the session', async () => {
  const { sessionId } = await worked('say here\nusage 1200 34\ncost 0.25')
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  await tab(page, 'details').click(patience)
  const panel = page.locator('[data-panel]')
  await panel.getByText('1.2K in, 34 out · $0.25').first().waitFor()
  expect(await panel.innerText()).toMatch(/Branch\s+signalbox\/[^]*Last active/)
  const width = () => panel.evaluate((it) => it.getBoundingClientRect().width)
  const before = await width()
  await page.getByRole('separator', { name: 'Width of the panel' }).focus()
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('ArrowRight')
  expect(Math.round(before - (await width()))).toBe(96)
  await page.reload()
  await panel.getByText('Newest turn').waitFor(patience)
  expect([Math.round(before - (await width())), new URL(page.url()).search]).toEqual([96, '?view=details'])
  await page.getByRole('button', { name: 'Hide the panel' }).click()
  await panel.waitFor({ state: 'detached' })
  await page.reload()
  await page.locator('[data-row=text]').waitFor(patience)
  expect(await panel.count()).toBe(0)
  expect(complaints).toEqual([])
})

it('is renamed, forked and put away from its page, and says what cannot be done', async () => {
  const { sessionId } = await worked('say here')
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  const menu = () => page.getByRole('button', { name: 'Session actions' }).click(patience)
  await menu()
  const takeOver = page.getByRole('menuitem', { name: /Take over… ?scripted has no interface of its own/ })
  expect(await takeOver.getAttribute('aria-disabled')).toBe('true')
  await takeOver.click({ force: true })
  await page.getByRole('menuitem', { name: 'Rename…' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Another name')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Another name' }).waitFor()
  await menu()
  await page.getByRole('menuitem', { name: 'Fork' }).click()
  await page.getByText('Forked from another session').waitFor(patience)
  expect(page.url()).not.toContain(sessionId)
  await composer(page).fill('say in the fork')
  await page.keyboard.press('Enter')
  await page.locator('[data-end=succeeded]').waitFor(patience)
  await menu()
  await page.getByRole('menuitem', { name: 'Move to trash' }).click()
  await page.locator('[data-trashed]').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await composer(page).waitFor()
  expect(complaints).toEqual([])
})

it('has its tabs in the place of the conversation on a phone', async () => {
  const { sessionId } = await worked('sh echo x > extra.txt')
  const { page, complaints } = await openPage(house.browser, phone)
  await page.goto(`${house.signalbox.url}/sessions/${sessionId}#token=${house.signalbox.token}`)
  await page.locator('[data-row=text], [data-end]').first().waitFor(patience)
  expect(await page.locator('[data-panel]').count()).toBe(0)
  for (const name of ['changes', 'files', 'details']) {
    await tab(page, name).click()
    await page.locator('[data-panel]').waitFor()
    expect(await page.locator('[data-transcript]').count()).toBe(0)
    expect(await page.locator('nav [aria-current=page][data-tab]').getAttribute('data-tab')).toBe(name)
    const overflow = await page.evaluate<number>('document.querySelector("main").scrollWidth - innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
  }
  await tab(page, 'transcript').click()
  await page.locator('[data-end=succeeded]').waitFor()
  expect(complaints).toEqual([])
})

it('tells the second of two people who answer one question that it was answered', async () => {
  const { sessionId } = await ask('ask go on')
  const one = await openBoard(house, `/sessions/${sessionId}`)
  const other = await openBoard(house, `/sessions/${sessionId}`)
  for (const { page } of [one, other]) await page.locator('[data-approval-card]').waitFor(patience)
  // The other has not heard of it when they answer.
  await other.page.route('**/stream?*', (route) => route.abort())
  await other.page.route('**/sse/board*', (route) => route.abort())
  await one.page.getByRole('button', { name: 'Allow', exact: false }).first().click()
  await one.page.locator('[data-answered=granted]', { hasText: 'by you' }).waitFor(patience)
  const refuse = other.page.getByRole('button', { name: 'Refuse', exact: false }).first()
  if ((await refuse.count()) > 0) await refuse.click()
  await other.page
    .getByText(/already granted|by you/i)
    .first()
    .waitFor(patience)
  const { body } = await house.signalbox.call('GET', `/approvals?sessionId=${sessionId}&status=granted`)
  expect(body.data).toHaveLength(1)
})

it('leads to the login when the key is not accepted any more', async () => {
  const { sessionId } = await worked('say here')
  const { page } = await openBoard(house, `/sessions/${sessionId}?view=files`)
  await page.locator('[data-entry="notes.txt"]').waitFor(patience)
  await page.route('**/api/v1/**', (route) =>
    route.fulfill({
      status: 401,
      json: { error: { code: 'unauthenticated', message: 'No', requestId: 'x' } },
    }),
  )
  await page.locator('[data-entry="notes.txt"]').click()
  await page.getByRole('heading', { name: 'Log in to this Signalbox' }).waitFor()
  expect(await page.locator('[data-entry], [data-transcript]').count()).toBe(0)
})
