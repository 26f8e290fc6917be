import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { git, makeRepository } from './repository.ts'
import type { Signalbox } from './signalbox.ts'

// The whole way of a task, as a person goes it on the page: from a Signalbox in which nothing has happened to work that is merged.

/** Who does the work, and how it is told what to do. */
export interface Worker {
  /** The preset, and what it is called. */
  preset: string
  name: string
  /** To have it do this in a shell, with a question before. */
  run: (command: string) => string
  /** What its own interface shows when it is ready for words. */
  ready: RegExp
  /** What is typed there, and what is then to be seen. */
  typed: string
  answered: RegExp
}

export interface Scene {
  page: Page
  box: Signalbox
  worker: Worker
  patience: { timeout: number }
  isPhone: boolean
  /** Happens while the agent works for the first time. */
  meanwhile?: () => Promise<void>
}

export async function tellStory(scene: Scene): Promise<void> {
  const { page, box, worker, patience } = scene
  const root = makeRepository(join(box.work, `yard-${Date.now()}`), { 'signal.txt': 'one\ntwo\nthree\n' })
  await findAgent(scene)
  await writeTask(scene, 'Count to four')
  await startAgent(
    scene,
    'Count to four',
    root,
    worker.run("printf 'one\\n2\\nthree\\nfour\\n' > signal.txt"),
  )
  await scene.meanwhile?.()
  await answerInInbox(scene)
  await openSession(scene, 'Count to four')
  await until(page, '[data-end=succeeded]', patience)

  await comment(scene)
  await answerHere(scene)
  await expect.poll(() => page.locator('[data-end=succeeded]').count(), patience).toBe(2)

  await takeOver(scene)
  await handBack(scene)
  await merge(scene)
  expect(readFileSync(join(root, 'signal.txt'), 'utf8')).toBe('one\n2\nthree\nfour\n')
  expect(git(root, 'status', '--porcelain')).toBe('')
  await finish(scene, 'Count to four')
}

const until = (page: Page, selector: string, patience: Scene['patience']) =>
  page.locator(selector).first().waitFor(patience)

/** First run, and Scan & Confirm: the agent is found on the machine. */
async function findAgent({ page, box, worker, patience }: Scene): Promise<void> {
  await page.goto(`${box.url}/#token=${box.token}`)
  await page.getByRole('heading', { name: 'Welcome to Signalbox' }).waitFor(patience)
  await page.locator(`[data-choice=${worker.preset}]`).waitFor(patience)
  await page.goto(`${box.url}/agents`)
  await page.getByRole('button', { name: 'Scan', exact: true }).click(patience)
  const preset = page.locator(`[data-preset=${worker.preset}]`)
  await preset.getByRole('button', { name: `Add ${worker.name}` }).click(patience)
  await page.locator('[data-agent]', { hasText: worker.name }).first().waitFor(patience)
}

async function writeTask({ page, box, patience }: Scene, title: string): Promise<void> {
  await page.goto(`${box.url}/board`)
  await page
    .getByRole('button', { name: /^New task/ })
    .first()
    .click(patience)
  await page.getByRole('textbox', { name: 'Title' }).fill(title)
  await page.getByRole('button', { name: 'Create task' }).click()
  await cardOf(page, title).waitFor(patience)
}

/** In its own folder, which becomes a workspace by that. */
async function startAgent(
  { page, patience }: Scene,
  title: string,
  folder: string,
  prompt: string,
): Promise<void> {
  await cardOf(page, title).click()
  await page.getByRole('button', { name: 'Start an agent on this task' }).click(patience)
  const form = page.getByRole('dialog')
  await form.getByRole('textbox').first().fill(prompt)
  await form.getByRole('button', { name: /^Where it runs/ }).click()
  await page.getByRole('menuitemradio', { name: 'Another folder…' }).click()
  await form.getByRole('textbox', { name: 'Folder', exact: true }).fill(folder)
  await form.locator('button[type=submit]').click()
  await form.waitFor({ state: 'detached', ...patience })
}

/** The page stays open, whatever dies behind it. */
const goTo = (page: Page, room: string) =>
  page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: room }).click()

async function answerInInbox({ page, patience }: Scene): Promise<void> {
  await page.keyboard.press('Escape')
  await goTo(page, 'Inbox')
  const card = page.locator('[data-approval-card]', { hasText: 'signal.txt' })
  await card.waitFor(patience)
  await card.getByRole('button', { name: /^Allow/ }).click()
  await card.waitFor({ state: 'detached', ...patience })
}

async function openSession({ page, patience }: Scene, title: string): Promise<void> {
  await goTo(page, 'Sessions')
  await page.getByRole('link', { name: title }).first().click(patience)
  await page.locator('[data-transcript]').waitFor(patience)
}

/** On a phone the tabs take the place of the conversation. */
const show = ({ page }: Scene, tab: string) => page.locator(`[data-tab=${tab}]`).click()

async function comment(scene: Scene): Promise<void> {
  const { page, worker, patience } = scene
  await show(scene, 'changes')
  const number = page.locator('[data-path="signal.txt"][data-number="after 2"]')
  await number.waitFor(patience)
  await number.click()
  await page
    .getByRole('textbox', { name: 'Comment on signal.txt, line 2' })
    .fill(worker.run("printf 'one\\n2\\nthree\\nfour\\n' > signal.txt; touch looked-at.txt"))
  await page.keyboard.press('Control+Enter')
  await page
    .locator('[data-review]')
    .getByRole('button', { name: `Send to ${worker.name}` })
    .click(patience)
  if (scene.isPhone) await show(scene, 'transcript')
}

async function answerHere({ page, patience }: Scene): Promise<void> {
  const card = page.locator('[data-approval-card]')
  await card.waitFor(patience)
  await card
    .getByRole('button', { name: /^Allow/ })
    .first()
    .click()
}

async function takeOver(scene: Scene): Promise<void> {
  const { page, worker, patience } = scene
  await page.getByRole('button', { name: 'Take over' }).click(patience)
  await page.getByRole('dialog').getByRole('button', { name: 'Take over' }).click()
  await page.locator('[data-terminal=live]').waitFor(patience)
  await expect.poll(() => screenOf(page), patience).toMatch(worker.ready)
  await page.locator('.xterm-helper-textarea').focus()
  await page.keyboard.type(worker.typed)
  await page.keyboard.press('Enter')
  await expect.poll(() => screenOf(page), patience).toMatch(worker.answered)
}

async function handBack(scene: Scene): Promise<void> {
  const { page, worker, patience } = scene
  await page.getByRole('button', { name: 'Hand back' }).first().click(patience)
  if (scene.isPhone) await show(scene, 'transcript')
  // What was said meanwhile is in the conversation.
  await page.locator('[data-row=message]', { hasText: worker.typed }).waitFor(patience)
}

async function merge(scene: Scene): Promise<void> {
  const { page, patience } = scene
  await show(scene, 'changes')
  const bar = page.locator('[data-git]')
  await bar.getByRole('textbox').fill('Count to four', patience)
  await bar.getByRole('button', { name: 'Commit' }).click()
  await bar.getByPlaceholder('Everything is committed.').waitFor(patience)
  await bar.getByRole('button', { name: 'Merge into main' }).click()
  await page.locator('[data-toast]', { hasText: 'Merged into main' }).waitFor(patience)
}

async function finish({ page, patience }: Scene, title: string): Promise<void> {
  await goTo(page, 'Board')
  await cardOf(page, title).focus(patience)
  await page.keyboard.press('m')
  await page.getByRole('menuitem', { name: /^Done/ }).click()
  await page.locator('[data-column=done] [data-card]', { hasText: title }).waitFor(patience)
}

const cardOf = (page: Page, title: string) => page.locator('[data-card]', { hasText: title }).first()

/** As a screen reader has it. */
const screenOf = (page: Page) =>
  page.evaluate<string>(`[...document.querySelectorAll('.xterm-accessibility-tree > div')]
    .map((line) => line.textContent.replaceAll('\\u00a0', ' ').trimEnd()).join('\\n').trimEnd()`)
