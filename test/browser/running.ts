import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { agentOf, patience } from './found-programs.ts'

/** Opens the form of one of a program's commands. */
export async function openForm(page: Page, program: string, command?: string): Promise<Locator> {
  await agentOf(page, program)
    .getByRole('button', { name: `Run ${program}…` })
    .click(patience)
  const form = page.locator('[data-run]')
  await form.waitFor(patience)
  if (command === undefined || (await form.getAttribute('data-run')) === command) return form
  const search = page.getByPlaceholder('Find a command')
  // Of many one is looked for at once.
  if ((await search.count()) === 0) await form.locator('[data-capability]').click()
  await search.fill(command.replaceAll('.', ' '))
  await page.locator(`[data-capability-choice="${command}"]`).click()
  return page.locator(`[data-run="${command}"]`)
}

/** An option, looked for as a person does who does not want to scroll. */
export async function option(form: Locator, flag: string): Promise<Locator> {
  const more = form.getByRole('button', { name: /^More options/ })
  if ((await more.count()) > 0 && (await more.getAttribute('aria-expanded')) === 'false') await more.click()
  const search = form.getByRole('searchbox', { name: 'Find an option' })
  if ((await search.count()) > 0) await search.fill(flag)
  return form.locator(`[data-flag="${flag}"]`).locator('input, textarea, select').last()
}

/** The command line as it is shown. */
export const previewOf = async (form: Locator): Promise<string> =>
  (await form.locator('[data-preview]').innerText()).replace(/^\$\s*/, '').trim()

/** Has it run in a folder. */
export async function runIn(page: Page, form: Locator, folder: string): Promise<void> {
  await form.getByRole('button', { name: 'Where it runs' }).click()
  await page.getByRole('menuitemradio', { name: 'Another folder…' }).click()
  await form.getByRole('textbox', { name: 'Folder', exact: true }).fill(folder)
  await form.locator('button[type=submit]').click()
}

export type Fill = (form: Locator) => Promise<void>
export const yes =
  (flag: string): Fill =>
  async (form) =>
    (await option(form, flag)).check()
export const given =
  (flag: string, text: string): Fill =>
  async (form) =>
    (await option(form, flag)).fill(text)
export const named =
  (name: string, text: string): Fill =>
  (form) =>
    form.getByRole('textbox', { name }).first().fill(text)

interface Wanted {
  program: string
  command: string
  fills: readonly Fill[]
  /** As it is to be shown before it is run. */
  line: string
  work: string
}

/** Fills in the form of a command, sees that its line is as it should be, runs it, and answers with what it wrote. */
export async function run(page: Page, { program, command, fills, line, work }: Wanted): Promise<string> {
  const form = await openForm(page, program, command)
  for (const fill of fills) await fill(form)
  expect(await previewOf(form)).toBe(line)
  await runIn(page, form, work)
  return outputOf(page)
}

/** What it wrote, once it has ended well. */
export async function outputOf(page: Page): Promise<string> {
  await page.locator('[data-status=succeeded]').waitFor(patience)
  await page.locator('[data-log] [data-line]').first().waitFor(patience)
  const lines = await page.locator('[data-log] [data-line] > span:last-child').allTextContents()
  return lines.join('\n')
}
