import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it, vi } from 'vitest'
import { openBoard, openHouse, openPage } from './browser.ts'

const house = openHouse()
const patience = { timeout: 30_000 }
const server = join(import.meta.dirname, 'issue-server.ts')
const call = async (method: string, path: string, body?: object) =>
  (await house.signalbox.call(method, path, body)).body.data

beforeAll(async () => {
  await call('POST', '/mcp/add', {
    name: 'issues',
    config: { transport: 'stdio', command: process.execPath, args: [server] },
  })
  const isThere = async () => expect((await call('GET', '/tools')).namespaces.issues?.tools).toHaveLength(3)
  await vi.waitFor(isThere, patience)
})

const editorOf = (page: Page) => page.locator('[data-code-editor] .cm-content')
const stateOf = (page: Page, state: string) => page.locator(`[data-run-state=${state}]`)
async function openPlayground() {
  const opened = await openBoard(house, '/tools?view=code')
  await editorOf(opened.page).waitFor(patience)
  return opened
}
async function write(page: Page, code: string): Promise<void> {
  await editorOf(page).click()
  await page.keyboard.press('Control+a')
  // As it is pasted: what is typed gets brackets of its own.
  await page.keyboard.insertText(code)
}

it('runs code, with its logs as they come, its result as a tree and what it took', async () => {
  const { page, complaints } = await openBoard(house, '/tools')
  await page.getByRole('link', { name: 'Playground' }).click()
  await write(
    page,
    `const { issues } = await mcp.issues.list_issues({ project: 'tea/pot', label: 'bug' })
console.log('found', issues.length)
console.warn('<b>not bold</b> \\u202e')
await new Promise<void>((resolve) => setTimeout(resolve, 1500))
return { titles: issues.map((issue) => issue.title), none: null }`,
  )
  await page.keyboard.press('Control+Enter')
  await stateOf(page, 'running').waitFor(patience)
  await page.locator('[data-log=info]', { hasText: 'found 2' }).waitFor(patience)
  expect(await stateOf(page, 'running').count()).toBe(1)
  await page.locator('[data-log=warn]', { hasText: '<b>not bold</b> ⟨U+202E⟩' }).waitFor()
  await stateOf(page, 'succeeded').waitFor(patience)
  const result = page.locator('[data-result]')
  await result.getByText('"The kettle boils over"', { exact: true }).waitFor()
  await result.getByRole('button', { name: /titles/ }).click()
  await result.getByText('"The kettle boils over"', { exact: true }).waitFor({ state: 'detached' })
  expect(await page.locator('[data-metric=apiCalls]').innerText()).toMatch(/^\d+$/)
  expect(await page.locator('[data-metric=executionTime]').innerText()).toMatch(/^\d.* m?s$/)
  expect(await page.locator('[data-metric=memoryUsed]').innerText()).toMatch(/ KB$/)
  await expect
    .poll(() => page.locator('[data-tokens]').innerText(), patience)
    .toMatch(/Listed in full, \d+ tools take [\d,]+ tokens/)
  // Everything it is styled with is allowed by the content security policy.
  expect(complaints).toEqual([])
  const background = await page
    .locator('.cm-activeLine')
    .first()
    .evaluate((line) => getComputedStyle(line).backgroundColor)
  expect(background).not.toBe('rgba(0, 0, 0, 0)')
})

it('completes namespaces, tools, arguments and results, and takes one by keyboard', async () => {
  const { page, complaints } = await openPlayground()
  await write(page, '')
  const options = page.locator('.cm-tooltip-autocomplete li')
  await expect
    .poll(
      async () => {
        await page.keyboard.type('const got = await mcp.')
        await page.waitForTimeout(600)
        const found = await options.allTextContents()
        if (found.length === 0) await write(page, '')
        return found
      },
      { ...patience, interval: 100 },
    )
    .toEqual(['board', 'issues'])
  await page.keyboard.type('is')
  await expect.poll(() => options.allTextContents(), patience).toEqual(['issues'])
  await page.waitForTimeout(200)
  await page.keyboard.press('Enter')
  await page.keyboard.type('.li')
  await options.filter({ hasText: 'list_issues' }).waitFor(patience)
  await page.locator('.cm-completionInfo').getByText('Lists the open issues of a project').waitFor()
  await page.waitForTimeout(200)
  await page.keyboard.press('Enter')
  await expect.poll(() => editorOf(page).innerText()).toContain('mcp.issues.list_issues({  })')
  await page.keyboard.press('Control+Space')
  await expect
    .poll(async () => (await options.allTextContents()).map((text) => text.split(/[?:]/, 1)[0]), patience)
    .toEqual(['project', 'label', 'limit'])
  await page.keyboard.press('Escape')
  await page.keyboard.type("project: 'a/b'")
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('return got.issues[0].')
  await expect.poll(() => options.allTextContents(), patience).toEqual(['labels', 'number', 'title', 'votes'])
  expect(complaints).toEqual([])
})

it('marks what is wrong before it runs, and where it went wrong after', async () => {
  const { page, complaints } = await openPlayground()
  await write(page, `const a = 1\nreturn await mcp.issues.list_isues({})`)
  await page.locator('.cm-lintRange-error', { hasText: 'list_isues' }).waitFor(patience)
  await page.locator('.cm-lint-marker-error').hover()
  await page.locator('.cm-tooltip-lint').getByText('list_issues').waitFor(patience)
  await page.keyboard.press('Control+Enter')
  await page.locator('[data-error=TYPE_ERROR]').waitFor(patience)
  await write(page, `const none: any = null\n\nreturn none.such`)
  await page.keyboard.press('Control+Enter')
  const error = page.locator('[data-error=RUNTIME_ERROR]')
  await error.getByText("cannot read property 'such' of null").waitFor(patience)
  await page.locator('.cm-lintRange-error').waitFor(patience)
  await error.getByRole('button', { name: 'Line 3' }).click()
  await page.keyboard.type('/* here */')
  expect((await editorOf(page).innerText()).split('\n').find((line) => line.includes('here'))).toContain(
    'none',
  )
  expect(complaints).toEqual([])
})

it('cancels what runs', async () => {
  const { page } = await openPlayground()
  await write(page, `console.log('begun')\nawait new Promise<void>((resolve) => setTimeout(resolve, 20000))`)
  await page.getByRole('button', { name: 'Run' }).click()
  await page.locator('[data-log=info]', { hasText: 'begun' }).waitFor(patience)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await stateOf(page, 'cancelled').waitFor(patience)
  await page.getByRole('button', { name: 'Run' }).waitFor()
  expect(await page.locator('[data-log=info]').count()).toBe(1)
})

it('shows in place what waits for a person, also to who comes back, and goes on after the answer', async () => {
  const { page, complaints } = await openPlayground()
  await write(page, `console.log('before')\nreturn await mcp.issues.delete_issue({ number: 12 })`)
  await page.keyboard.press('Control+Enter')
  const card = page.locator('[data-approval-card]')
  await card.getByText('issues.delete_issue').first().waitFor(patience)
  await stateOf(page, 'waiting').waitFor()
  await page.reload()
  await card.waitFor(patience)
  await stateOf(page, 'waiting').waitFor()
  await card.getByRole('button', { name: 'Allow', exact: false }).first().click()
  await stateOf(page, 'succeeded').waitFor(patience)
  await page.locator('[data-result]').getByText('12').waitFor()
  await card.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Run' }).click()
  await card.getByRole('button', { name: 'Refuse', exact: false }).first().click(patience)
  await page.getByRole('button', { name: 'Refuse', exact: false }).first().click()
  await page.locator('[data-error=MCP_ERROR]').getByText('a person has refused it').waitFor(patience)
  expect(complaints).toEqual([])
})

it('reaches only what is chosen, and offers to allow what was refused', async () => {
  const { page } = await openPlayground()
  await write(page, `return await mcp.issues.list_issues('a/b')`)
  await page.getByRole('button', { name: /^May reach/ }).click()
  await page.getByRole('radio', { name: 'None' }).check()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'May reach: nothing' }).waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  const error = page.locator('[data-error=CAPABILITY_VIOLATION]')
  await error.getByRole('button', { name: /^Allow mcp:issues/ }).click(patience)
  await stateOf(page, 'succeeded').waitFor(patience)
  await page.getByRole('button', { name: 'May reach: tools of 1 source' }).waitFor()
  expect(await page.locator('[data-metric=apiCalls]').innerText()).toBe('1')
})

it('keeps the code in the browser until it is cleared, and has examples that run', async () => {
  const { page, complaints } = await openPlayground()
  await write(page, 'return "mine"')
  await page.reload()
  await expect.poll(() => editorOf(page).innerText(), patience).toContain('return "mine"')
  for (const name of [
    'Count the tasks of the board',
    'Several calls at once',
    'Put tasks on the board',
    'Log while it runs',
  ]) {
    await page.getByRole('button', { name: 'Examples' }).click()
    await page.getByRole('menuitem', { name }).click()
    await page.getByRole('button', { name: 'Run' }).click()
    await stateOf(page, 'running').waitFor(patience)
    await stateOf(page, 'succeeded').waitFor(patience)
    expect(await page.locator('.cm-lintRange-error').count()).toBe(0)
  }
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.reload()
  await editorOf(page).waitFor(patience)
  expect((await editorOf(page).innerText()).trim()).toBe('')
  expect(complaints).toEqual([])
})

it('is not for who may not run code', async () => {
  const { token } = await call('POST', '/users', { name: 'Grace', scopes: ['board', 'tools'] })
  const { page } = await openPage(house.browser)
  await page.goto(`${house.signalbox.url}/tools?view=code#token=${token}`)
  await page.getByText('You may not run code here.').waitFor(patience)
  expect(await editorOf(page).count()).toBe(0)
})

it('fits a phone, and leaves its keys to who writes', async () => {
  const { page, complaints } = await openPage(house.browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  const { url, token } = house.signalbox
  await page.goto(`${url}/tools?view=code#token=${token}`)
  await editorOf(page).waitFor(patience)
  await write(page, 'return "n g b ?"')
  await page.keyboard.type('nngb?')
  expect(new URL(page.url()).search).toBe('?view=code')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await write(page, 'return "small"')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.locator('[data-result]').getByText('"small"').waitFor(patience)
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
  expect(wide).toBeLessThanOrEqual(390)
  expect(complaints).toEqual([])
})
