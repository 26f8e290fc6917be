import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it, vi } from 'vitest'
import { openPage } from './browser.ts'
import { openTalking } from './talking.ts'

const secret = 'sk-never-to-be-seen'
// Nothing listens there.
const { house, ask } = openTalking({ OPENAI_API_KEY: secret, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' })
const patience = { timeout: 20_000 }

const call = async (method: string, path: string, body?: object) =>
  (await house.signalbox.call(method, path, body)).body?.data
const userNamed = (page: Page, name: string) => page.locator(`[data-user="${name}"]`)
const settingOf = (page: Page, name: string) => page.locator(`[data-setting=${name}]`)

/** Opens a section as whoever has the token. */
async function openSection(section: string, token = house.signalbox.token, options = {}) {
  const opened = await openPage(house.browser, options)
  const search = section ? `?section=${section}` : ''
  await opened.page.goto(`${house.signalbox.url}/settings${search}#token=${token}`)
  await opened.page.locator('[data-section]').waitFor({ state: 'attached' })
  return opened
}

beforeAll(async () => {
  await call('POST', '/policies/rules', { tool: 'Bash', argument: 'rm -rf *', effect: 'deny' })
})

it('keeps the section in the address, and goes to another one by keyboard', async () => {
  const { page, complaints } = await openSection('runtime')
  await page.getByRole('heading', { name: 'Runtime' }).waitFor()
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'About' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/settings?section=about')
  await page.getByText(/at migration \d{4}_\w+/).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Runtime' }).waitFor()
  expect(await page.locator('[data-section-link][aria-current=page]').allTextContents()).toHaveLength(1)
  expect(complaints).toEqual([])
})

it('adds a rule that says while it is written what it would answer, changes it, and removes it', async () => {
  const { page, complaints } = await openSection('policies')
  await page.getByText('No agent may ever use Bash with “rm -rf *”.').waitFor()
  await page.getByRole('button', { name: 'New rule…' }).click()
  const dialog = page.getByRole('dialog')
  const submit = dialog.getByRole('button', { name: 'Save the rule' })
  expect(await submit.isDisabled()).toBe(true)
  await dialog.getByLabel('Tool').fill('Bash')
  await dialog.getByLabel('Argument').fill('git *')
  await dialog.getByText('Every agent may use Bash with “git *” without asking.').waitFor()
  const sample = dialog.getByLabel('A command or path')
  await sample.fill('git status')
  await dialog.locator('[data-verdict=allow]', { hasText: 'By this rule.' }).waitFor()
  await sample.fill('git status; curl evil')
  await dialog.locator('[data-verdict=ask]').waitFor()
  await sample.fill('git status; rm -rf /')
  await dialog.locator('[data-verdict=deny]', { hasText: 'rm -rf *' }).waitFor()
  await submit.click()
  await dialog.waitFor({ state: 'detached' })
  const rule = page.locator('[data-rule]', { hasText: 'git *' })
  await rule.getByText('by hand').waitFor()
  // A refusal comes first, whatever was added last.
  expect(await page.locator('[data-rule]').first().innerText()).toContain('rm -rf')

  await page.getByRole('button', { name: 'New rule…' }).click()
  await dialog.getByLabel('Tool').fill('Bash')
  await dialog.getByLabel('Argument').fill('git *')
  await submit.click()
  await dialog.getByRole('alert').getByText('There is a rule for the same').waitFor()
  await page.keyboard.press('Escape')

  await rule.getByRole('button', { name: /^Change/ }).click()
  await dialog.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('menuitemradio', { name: 'Ask' }).click()
  await submit.click()
  await rule.getByText('Every agent must always ask').waitFor()

  await rule.getByRole('button', { name: /^Remove/ }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await rule.count()).toBe(1)
  await rule.getByRole('button', { name: /^Remove/ }).click()
  await dialog.getByRole('button', { name: 'Remove it' }).click()
  await rule.waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

it('lists what was answered for good in the inbox, in words', async () => {
  const { id } = await ask('ask npm run build*')
  const approval = await vi.waitUntil(
    async () => (await call('GET', `/approvals?status=waiting&executionId=${id}`))[0],
    patience,
  )
  await call('POST', `/approvals/${approval.id}`, { decision: 'granted', remember: true })
  const { page } = await openSection('policies')
  const rule = page.locator('[data-rule]', { hasText: 'from the inbox' })
  await rule.waitFor()
  // What was answered is meant literally, and read without what says so.
  expect(await rule.innerText()).toContain('with “npm run build*” without asking.')
})

it('asks before an agent may do everything', async () => {
  const { page } = await openSection('policies')
  const row = page.locator('[data-agent-policy=scripted]')
  await row.getByRole('button', { name: 'Policy of scripted' }).click()
  await page.getByRole('menuitemradio', { name: 'Let it do all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await row.getByText('Everything is asked.').waitFor()
  await row.getByRole('button', { name: 'Policy of scripted' }).click()
  await page.getByRole('menuitemradio', { name: 'Let it look' }).click()
  await row.getByText('What only looks passes').waitFor()
  const agents = await call('GET', '/agents')
  expect(agents.find(({ name }: { name: string }) => name === 'scripted').permissionPolicy).toBe('reads')
})

it('says at every key whether a setting fits, changes it, and gives it back', async () => {
  const { page, complaints } = await openSection('runtime')
  const row = settingOf(page, 'sessionTtlMs')
  await row.getByText('Default', { exact: true }).waitFor()
  await row.getByRole('button', { name: /^Change/ }).click()
  const [field, save] = [row.getByRole('textbox'), row.getByRole('button', { name: 'Save' })]
  await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
  for (const [text, reason] of [
    ['soon', 'must be a time'],
    ['1 s', 'must be at least 60000'],
    ['90 d', 'must be at most'],
  ] as const) {
    await field.fill(text)
    await row.locator('[data-misfit]', { hasText: reason }).waitFor()
    expect(await save.isDisabled()).toBe(true)
  }
  await field.fill('2 h')
  await page.keyboard.press('Enter')
  await expect.poll(() => row.locator('[data-value]').innerText()).toBe('2 h')
  // Who has saved by keyboard is where they began.
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Change')
  await row.getByText('Set here by the owner').waitFor()
  await row.getByText('Otherwise 1 d (Default)').waitFor()
  expect((await call('GET', '/settings')).sessionTtlMs.value).toBe(7_200_000)
  await row.getByRole('button', { name: /^Reset/ }).click()
  await expect.poll(() => row.locator('[data-value]').innerText()).toBe('1 d')
  // What fits alone and not together is the server's to say.
  const stale = settingOf(page, 'staleAfterMs')
  await stale.getByRole('button', { name: /^Change/ }).click()
  await stale.getByRole('textbox').fill('6 s')
  await stale.getByRole('button', { name: 'Save' }).click()
  await stale.getByRole('alert').getByText('at least twice').waitFor()
  // The environment's level is told as that.
  await settingOf(page, 'logLevel').getByText('From the environment').waitFor()
  expect(complaints).toEqual([])
})

it('leaves the budgets alone that somebody else changes meanwhile', async () => {
  const [mine, theirs] = [await openSection('budgets'), await openSection('budgets')]
  const field = (page: Page, name: RegExp) =>
    page.locator('[data-budget=scripted]').getByRole('textbox', { name })
  await field(theirs.page, /Steps|Turns/).fill('33')
  await field(mine.page, /USD|dollar/i).fill('6.5')
  await mine.page.keyboard.press('Enter')
  await mine.page.locator('[data-toast]', { hasText: 'The budget of scripted is saved' }).waitFor()
  await field(theirs.page, /Steps|Turns/).press('Enter')
  await theirs.page.locator('[data-toast]', { hasText: 'The budget of scripted is saved' }).waitFor()
  const { body } = await house.signalbox.call('GET', '/agents')
  const agent = body.data.find(({ name }: { name: string }) => name === 'scripted')
  expect([agent.maxBudgetUsd, agent.maxTurns]).toEqual([6.5, 33])
  await call('PATCH', `/agents/${agent.id}`, { maxTurns: 50 })
})

it('keeps the budgets of agents', async () => {
  const { page } = await openSection('budgets')
  const row = page.locator('[data-budget=scripted]')
  const usd = row.getByRole('textbox', { name: 'US dollars of scripted' })
  const save = row.getByRole('button', { name: 'Save' })
  expect(await save.isDisabled()).toBe(true)
  await usd.fill('-1')
  await row.locator('[data-misfit]').waitFor()
  expect(await save.isDisabled()).toBe(true)
  await usd.fill('2.5')
  await row.getByRole('textbox', { name: 'Tokens of a session of scripted' }).fill('100000')
  await page.keyboard.press('Enter')
  await page.locator('[data-toast]', { hasText: 'The budget of scripted is saved' }).waitFor()
  const agents = await call('GET', '/agents')
  const scripted = agents.find(({ name }: { name: string }) => name === 'scripted')
  expect(scripted).toMatchObject({ maxBudgetUsd: 2.5, maxTokens: 100_000, maxTurns: 50 })
})

it('says which model keys are missing and how to set them, and never shows one', async () => {
  const { page } = await openSection('models')
  const row = page.locator('[data-provider=anthropic]')
  await row.getByText('No key', { exact: true }).waitFor(patience)
  await row.getByText('ANTHROPIC_API_KEY=… npm start').waitFor()
  const set = page.locator('[data-provider=openai]')
  await set.getByText('Key set by the environment (OPENAI_API_KEY)').waitFor()
  await set.getByText('Unreachable').waitFor()
  const answering = page.waitForResponse('**/models/check?fresh=1')
  await page.getByRole('button', { name: 'Check again' }).click()
  expect(await (await answering).text()).not.toContain(secret)
  expect(await page.content()).not.toContain(secret)
})

it('adds a user, shows the token this once, changes what they may, and ends it', async () => {
  const { page, complaints } = await openSection('users')
  await page.getByRole('button', { name: 'New user…' }).click()
  const dialog = page.getByRole('dialog')
  const submit = dialog.getByRole('button', { name: 'Add the user' })
  expect(await submit.isDisabled()).toBe(true)
  await dialog.getByLabel('Name').fill('Owner')
  await submit.click()
  await dialog.getByRole('alert').getByText('the name of the owner').waitFor()
  await dialog.getByLabel('Name').fill('Ada')
  await submit.click()
  const token = await dialog.locator('[data-token]').first().innerText()
  expect(token).toMatch(/^sbuser_/)
  await dialog.getByRole('button', { name: 'I have it' }).click()
  expect(await page.content()).not.toContain(token)
  await userNamed(page, 'Ada').getByText('Board, Run agents, Tools, Code, Chat').waitFor()

  // Ada sees what she may, and nothing of the others'.
  const ada = await openSection('users', token)
  await ada.page.getByText('This is not for you').waitFor()
  const links = await ada.page
    .locator('[data-section-link]')
    .evaluateAll((all) => all.map((link) => link.getAttribute('data-section-link')))
  expect(links).toEqual(['appearance', 'you', 'models', 'audit'])
  await ada.page.locator('[data-section-link=you]').click()
  await ada.page.locator('[data-browser]').getByText('This browser').waitFor()
  expect(await ada.page.locator('[data-browser]').count()).toBe(1)

  await page.reload()
  await userNamed(page, 'Ada').getByRole('button', { name: 'More for Ada' }).click()
  await page.getByRole('menuitem', { name: 'Change…' }).click()
  await dialog.getByRole('checkbox', { name: /^Settings/ }).check()
  await dialog.getByRole('checkbox', { name: /^Chat/ }).uncheck()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await userNamed(page, 'Ada').getByText('Board, Run agents, Tools, Code, Settings').waitFor()
  await ada.page.reload()
  await ada.page.locator('[data-section-link=runtime]').waitFor()

  const hers = page.locator('[data-browser]', { hasText: 'Ada' })
  await hers.getByRole('button', { name: /^Log out/ }).click()
  await hers.waitFor({ state: 'detached' })
  await ada.page.reload()
  await ada.page.getByRole('heading', { name: 'Log in to this Signalbox' }).waitFor()

  await userNamed(page, 'Ada').getByRole('button', { name: 'More for Ada' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await userNamed(page, 'Ada').waitFor({ state: 'detached' })
  expect(
    (await house.signalbox.call('GET', '/auth/whoami', undefined, { authorization: `Bearer ${token}` }))
      .status,
  ).toBe(401)
  expect(complaints).toEqual([])
})

it('says so when a user was deleted meanwhile', async () => {
  const { id } = await call('POST', '/users', { name: 'Fleeting' })
  const { page } = await openSection('users')
  await userNamed(page, 'Fleeting').getByRole('button', { name: 'More for Fleeting' }).click()
  await call('DELETE', `/users/${id}`)
  await page.getByRole('menuitem', { name: 'New token…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Give a new token' }).click()
  await page.locator('[data-toast=problem]', { hasText: 'deleted meanwhile' }).waitFor()
  await expect.poll(() => userNamed(page, 'Fleeting').count()).toBe(0)
  expect(await page.getByRole('dialog').count()).toBe(0)
})

it('finds in the audit what was done, and exports what was found', async () => {
  await call('POST', '/users', { name: 'Needle' })
  const { page, complaints } = await openSection('audit')
  await page.getByRole('searchbox').fill('needle')
  await page.waitForURL('**/settings?section=audit&q=needle')
  await expect.poll(() => page.locator('[data-audit]').count()).toBe(1)
  const entry = page.locator('[data-audit]')
  await entry.getByRole('button', { name: 'user added' }).click()
  await entry.getByText('"name": "Needle"').waitFor()
  const arriving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'NDJSON' }).click()
  const lines = (await readFile((await (await arriving).path()) ?? '', 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).subject)).toEqual(['user added'])
  await page.getByRole('button', { name: 'Kind: Every kind' }).click()
  await page.getByRole('menuitemradio', { name: 'Rules' }).click()
  await page.getByText('Nothing fits').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => page.locator('[data-audit]').count()).toBeGreaterThan(1)
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('')
  // The address says what is looked for.
  await page.goto(`${house.signalbox.url}/settings?section=audit&kind=policy&outcome=ok`)
  await page.locator('[data-audit]', { hasText: 'rule added' }).first().waitFor()
  expect(await page.locator('[data-audit]', { hasText: 'user added' }).count()).toBe(0)
  expect(complaints).toEqual([])
})

it('is a list and then a page on a phone, and nothing is wider than that', async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }
  const { page, complaints } = await openSection('', house.signalbox.token, phone)
  const links = page.locator('[data-section-link]')
  await links.first().waitFor()
  expect(await page.locator('[data-section]').isVisible()).toBe(false)
  for (const name of [
    'policies',
    'budgets',
    'models',
    'users',
    'runtime',
    'audit',
    'about',
    'you',
    'appearance',
  ]) {
    await page.locator(`[data-section-link=${name}]`).click()
    await page.locator(`[data-section=${name}] h2`).waitFor()
    await page.waitForTimeout(300)
    const wide = await page.evaluate<number>(
      `Math.max(document.scrollingElement.scrollWidth, document.querySelector('[data-section]').scrollWidth)`,
    )
    expect([name, wide]).toEqual([name, 390])
    await page.getByRole('link', { name: 'All settings' }).click()
    await links.first().waitFor()
  }
  expect(complaints).toEqual([])
})
