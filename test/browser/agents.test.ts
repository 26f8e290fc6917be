import { expect, it } from 'vitest'
import { cardIn, openBoard, openPage } from './browser.ts'
import { openTalking } from './talking.ts'

const { house, ask } = openTalking()
const patience = { timeout: 20_000 }

it('lists who can be asked, and asks', async () => {
  const { page, complaints } = await openBoard(house)
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.locator('[data-agent=scripted]').getByText('Asks before it does anything').waitFor()
  await page.getByRole('button', { name: 'Ask scripted…' }).click()
  await page.getByRole('textbox', { name: 'Prompt' }).fill('say hello from the page')
  await page.keyboard.press('Control+Enter')
  await page.locator('[data-row=text]', { hasText: 'hello from the page' }).waitFor(patience)
  expect(new URL(page.url()).pathname).toMatch(/^\/sessions\/[\da-f-]{36}$/)
  expect(complaints).toEqual([])
})

it('tells of the known coding agents what is missing, and how to get it', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  const presets = page.locator('[data-preset]')
  await presets.first().waitFor({ timeout: 30_000 })
  expect(await presets.count()).toBe(5)
  for (const preset of await presets.all())
    expect(await preset.innerText()).toMatch(
      /Install with|Update with|Logged in|Not logged in|Login not known/,
    )
  expect(complaints).toEqual([])
})

it('starts an agent on a task, and the card tells how it goes', async () => {
  const title = 'say working on it'
  const { body } = await house.signalbox.call('POST', '/tasks', { title, description: 'ask May I?' })
  const { page, complaints } = await openBoard(house, `/board?task=${body.data.id}`)
  await page.getByRole('button', { name: 'Start an agent on this task' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: false }).last().click()
  const card = cardIn(page, 'in_progress', title)
  await card.getByText('Waits for you').waitFor(patience)
  await page.locator('[data-toast]').getByRole('button', { name: 'Open' }).click()
  await page.locator('[data-approval-card]').waitFor(patience)
  await page.getByRole('button', { name: 'Allow', exact: false }).first().click()
  await page.locator('[data-end=succeeded]').waitFor(patience)
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await card.getByText('Turn over').waitFor(patience)
  expect(complaints).toEqual([])
})

it('shows on the board what was running before it was opened', async () => {
  const { body } = await house.signalbox.call('POST', '/tasks', { title: 'Long work' })
  const { id } = await ask('stall', { taskId: body.data.id })
  const { page, complaints } = await openBoard(house)
  const card = cardIn(page, 'in_progress', 'Long work')
  await card.getByText('Running').waitFor(patience)
  await house.signalbox.call('POST', `/executions/${id}/cancel`)
  await card.getByText('Idle').waitFor(patience)
  expect(complaints).toEqual([])
})

const agentNamed = async (name: string) =>
  (await house.signalbox.call('GET', '/agents')).body.data.find((one: { name: string }) => one.name === name)
const capabilitiesOf = async (agentId: string) =>
  (await house.signalbox.call('GET', `/agents/${agentId}/capabilities`)).body.data

it('lets the owner change what an agent may do and spend, and says at its field what was refused', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await page.getByRole('button', { name: /^scripted: settings/ }).click(patience)
  const window = page.getByRole('dialog', { name: 'scripted' })
  const save = window.getByRole('button', { name: 'Save' })
  expect(await save.isDisabled()).toBe(true)
  await window.getByLabel('Turns in a session').fill('0')
  await window.getByLabel('Tokens in a session').fill('9000')
  await window.getByRole('button', { name: 'Asks before it does anything' }).click()
  await page.getByRole('menuitemradio', { name: 'May read without asking' }).click()
  await save.click()
  await window.getByText('must be at least 1').first().waitFor(patience)
  expect(await agentNamed('scripted')).toMatchObject({
    maxTurns: 50,
    maxTokens: null,
    permissionPolicy: 'ask',
  })
  await window.getByLabel('Turns in a session').fill('7')
  await save.click()
  await expect
    .poll(() => agentNamed('scripted'), patience)
    .toMatchObject({ maxTurns: 7, maxTokens: 9000, permissionPolicy: 'reads', maxBudgetUsd: 5 })
  await window.getByLabel('Tokens in a session').fill('')
  await window.getByRole('checkbox', { name: 'Active' }).uncheck()
  await save.click()
  await expect.poll(() => agentNamed('scripted'), patience).toMatchObject({ maxTokens: null, active: false })
  await page.keyboard.press('Escape')
  await page.locator('[data-agent=scripted]').getByText('Not active').waitFor(patience)
  await house.signalbox.call('PATCH', `/agents/${(await agentNamed('scripted')).id}`, {
    active: true,
    permissionPolicy: 'ask',
  })
  expect(complaints).toEqual([])
})

it('lists what an agent can be asked for, and lets the owner add, change and delete it', async () => {
  const { id } = await agentNamed('scripted')
  const { page, complaints } = await openBoard(house, '/agents')
  await page.getByRole('button', { name: /^scripted: settings/ }).click(patience)
  const window = page.getByRole('dialog', { name: 'scripted' })
  await window.getByRole('button', { name: 'What it can be asked for' }).click()
  await window.getByRole('button', { name: 'Add one…' }).click()
  await window.getByLabel('Label').fill('Review a branch')
  await window.getByLabel('Key').fill('review')
  await window.getByLabel('Prompt', { exact: true }).fill('say Review {{branch}}')
  const schema = window.getByLabel('Arguments, as a JSON Schema')
  await schema.fill('{ "type": ')
  await window.getByText('This is no JSON').waitFor()
  expect(await window.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await schema.fill('{ "type": "object" }')
  await window.getByRole('button', { name: 'Save' }).click()
  // It names what it does not know, where it stands.
  await window.getByText('{{branch}} is not an argument').first().waitFor(patience)
  await schema.fill(
    '{"type":"object","required":["branch"],"properties":{"branch":{"type":"string","pattern":"^[a-z]+$"}}}',
  )
  await window.getByRole('button', { name: 'Only looks' }).click()
  await page.getByRole('menuitemradio', { name: 'Dangerous: asks first' }).click()
  await window.getByRole('button', { name: 'Save' }).click()
  const row = window.locator('[data-capability-row=review]')
  await row.getByText('takes 1 argument').waitFor(patience)
  await row.locator('[data-danger="2"]').waitFor()

  await row.getByRole('button').click()
  await window.getByLabel('Time-out, in seconds').fill('45')
  await window.getByRole('button', { name: 'Save' }).click()
  await row.getByText('ends after 45 s').waitFor(patience)
  expect((await capabilitiesOf(id)).find(({ key }: { key: string }) => key === 'review')).toMatchObject({
    label: 'Review a branch',
    dangerLevel: 2,
    timeoutSec: 45,
    annotations: { readOnlyHint: false },
  })
  expect(complaints).toEqual([])
})

it('asks for something dangerous in words only after a yes, in the form and with what it says', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await page.getByRole('button', { name: 'Ask scripted…' }).click(patience)
  const form = page.getByRole('dialog', { name: 'Ask an agent' })
  await form.getByRole('button', { name: 'What to ask for' }).click()
  await page.getByRole('menuitemradio', { name: 'Review a branch' }).click()
  await form.locator('[data-danger="2"]').waitFor()
  // Its words are its own: there is nothing else to say.
  await form.getByText('say Review {{branch}}').waitFor()
  expect(await form.getByRole('textbox', { name: 'Prompt' }).count()).toBe(0)
  await form.getByRole('textbox', { name: /^branch/ }).fill('Main')
  await form.getByText('must match pattern "^[a-z]+$"').waitFor()
  await form.getByRole('textbox', { name: /^branch/ }).fill('main')
  await form.getByRole('button', { name: /^Start…/ }).click()
  const sure = page.getByRole('dialog', { name: 'This is dangerous' })
  await sure.getByText('"branch": "main"').waitFor()
  await sure.getByRole('button', { name: 'Run it now' }).click()
  await page.locator('[data-row=text]', { hasText: 'Review main' }).waitFor(patience)
  expect(complaints).toEqual([])
})

it('deletes what an agent can be asked for, after it has asked', async () => {
  const { id } = await agentNamed('scripted')
  const { page } = await openBoard(house, '/agents')
  await page.getByRole('button', { name: /^scripted: settings/ }).click(patience)
  const window = page.getByRole('dialog', { name: 'scripted' })
  await window.getByRole('button', { name: 'What it can be asked for' }).click()
  await window.locator('[data-capability-row=review]').getByRole('button').click(patience)
  await window.getByRole('button', { name: 'Delete', exact: true }).click()
  await window.getByRole('button', { name: 'Delete for good' }).click()
  const keys = async () => (await capabilitiesOf(id)).map(({ key }: { key: string }) => key)
  await expect.poll(keys, patience).not.toContain('review')
  await window.getByRole('button', { name: 'Add one…' }).waitFor(patience)
  expect(await window.locator('[data-capability-row=review]').count()).toBe(0)
})

it('offers nobody to ask an agent who may not', async () => {
  const { body } = await house.signalbox.call('POST', '/users', { name: 'Hedy', scopes: ['board'] })
  const { page, complaints } = await openPage(house.browser)
  await page.goto(`${house.signalbox.url}/agents#token=${body.data.token}`)
  await page.locator('[data-agent=scripted]').waitFor(patience)
  expect(await page.getByRole('button', { name: /^(Ask|Run) / }).count()).toBe(0)
  expect(complaints).toEqual([])
})

it('shows others what an agent can be asked for, and nothing to change it with', async () => {
  const { body } = await house.signalbox.call('POST', '/users', { name: 'Grace', scopes: ['board', 'run'] })
  const { page, complaints } = await openPage(house.browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  await page.goto(`${house.signalbox.url}/agents#token=${body.data.token}`)
  await page.getByRole('button', { name: /^scripted: settings/ }).tap(patience)
  const window = page.getByRole('dialog', { name: 'scripted' })
  await window.locator('[data-capability-row]').first().waitFor(patience)
  for (const name of ['Settings', 'Add one…', 'Save', 'Delete'])
    expect(await window.getByRole('button', { name, exact: true }).count()).toBe(0)
  expect(await window.locator('[data-capability-row] button').count()).toBe(0)
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect(complaints).toEqual([])
})
