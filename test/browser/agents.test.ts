import { expect, it } from 'vitest'
import { cardIn, openBoard } from './browser.ts'
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
  expect(await presets.count()).toBe(4)
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
  await card.getByText('Idle').waitFor(patience)
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
