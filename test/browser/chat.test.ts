import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openChatRoom } from '../support/chat/room.ts'
import type { ChatAgent, ChatRoom } from '../support/chat/room.ts'
import { launchChromium } from '../support/chromium.ts'
import { freshDatabase } from '../support/postgres.ts'
import { openBoard } from './browser.ts'
import type { House, Opened } from './browser.ts'

const patience = { timeout: 20_000 }
const house = {} as House
let room: ChatRoom
let agent: ChatAgent
const endings: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  const database = await freshDatabase()
  endings.push(() => database.drop())
  room = await openChatRoom({ DATABASE_URL: database.url })
  endings.push(() => room.close())
  agent = await room.agent({ name: 'Talker' })
  const browser = await launchChromium()
  endings.push(() => browser.close())
  Object.assign(house, { signalbox: room.box, browser })
}, 60_000)
afterAll(async () => {
  for (const end of endings.toReversed()) await end()
}, 60_000)

const status = (page: Page, word: string) => page.locator('[data-status]', { hasText: word })
const said = (page: Page) => page.locator('[data-row=text]').allTextContents()
const composer = (page: Page) => page.getByRole('textbox', { name: 'Message to' })
const inTranscript = (page: Page, text: string) => page.locator('[data-row=text]', { hasText: text }).first()

/** A chat in which this was asked, in the page. */
async function ask(prompt: string): Promise<Opened & { sessionId: string }> {
  const sessionId = await room.open(agent)
  await room.say(agent, sessionId, prompt)
  return { ...(await openBoard(house, `/sessions/${sessionId}`)), sessionId }
}

async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

it('begins a chat with a model of choice, and shows its answer as Markdown while it comes', async () => {
  const { page, complaints } = await openBoard(house, '/sessions')
  await page.keyboard.press('c')
  const first = page.getByRole('textbox', { name: 'First message' })
  await first.fill('Look around [[think:Hm, look.]] [[text:Here is **bold** and `code`.\n\n- one\n- two]]')
  await page.getByRole('button', { name: 'Choose a model' }).click()
  await page.getByPlaceholder('Find a model').fill('claude-haiku')
  const choice = page.locator('[data-model-choice*=haiku]').first()
  expect(await choice.innerText()).toMatch(/tokens · \$\S+ in, \$\S+ out per million/)
  const model = await choice.getAttribute('data-model-choice')
  await choice.click()
  await page.getByRole('button', { name: 'Begin' }).click()
  await status(page, 'Succeeded').waitFor(patience)
  expect(await page.locator('[data-row=text] strong').innerText()).toBe('bold')
  expect(await page.locator('[data-row=text] li').allTextContents()).toEqual(['one', 'two'])
  await page.getByText('Thoughts').click()
  await page.getByText('Hm, look.', { exact: true }).waitFor()
  expect(await page.locator('[data-model]').getAttribute('data-model')).toBe(model)
  expect(await page.locator('aside [data-window]').innerText()).toMatch(/of 200K \(\d+ %\)/)
  expect(await page.locator('[data-usage]').last().innerText()).toMatch(/in, .* out/)
  expect(complaints).toEqual([])
})

it('answers five calls of one step in their order, and all results go back together', async () => {
  const calls = ['a', 'b', 'c', 'd'].map((key) => ['book', { key }])
  calls.splice(3, 0, ['fail', { key: 'x' }])
  const { page, complaints } = await ask(`five-here [[calls:${JSON.stringify(calls)}]] [[text:All told.]]`)
  const card = page.locator('[data-approval-card]')
  const waiting = page.locator('[data-tool][data-state=asked]')
  await page.getByText('5 calls of one step wait').waitFor(patience)
  expect(await waiting.locator('[data-queue]').allTextContents()).toEqual(
    [1, 2, 3, 4, 5].map((at) => `${at} of 5`),
  )
  // Only the one is unfolded that a key would answer.
  expect(await card.locator('[data-queue]').allTextContents()).toEqual(['1 of 5'])

  await card.getByRole('button', { name: 'Refuse' }).click()
  await page.keyboard.type('not this one\n')
  await page.locator('[data-answered=refused]', { hasText: 'not this one' }).waitFor(patience)
  // The keys mean the next one, once it has stood still for a moment.
  await expect
    .poll(async () => {
      await page.keyboard.press('y')
      return page.locator('[data-answered=granted]').count()
    }, patience)
    .toBe(1)
  await page.getByText('3 calls of one step wait').waitFor(patience)
  await waiting.last().getByRole('button').click()
  await waiting.last().getByRole('button', { name: 'Refuse' }).click()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Allow all 2' }).click()
  await status(page, 'Succeeded').waitFor(patience)
  await inTranscript(page, 'All told.').waitFor()
  const states = await page
    .locator('[data-tool]')
    .evaluateAll((all) => all.map((it) => it.getAttribute('data-state')))
  expect(states).toEqual(['denied', 'done', 'done', 'failed', 'denied'])
  const [, last] = room.requests('five-here')
  expect(last?.results).toHaveLength(5)
  expect(room.done().toSorted()).toEqual(['book b', 'book c', 'fail x'])
  expect(complaints).toEqual([])
})

it('groups the calls of one step in the inbox, and refuses the rest at once', async () => {
  const { page, complaints, sessionId } = await ask(
    'two-here [[calls:[["book",{"key":"m"}],["book",{"key":"n"}]]]] [[text:Nothing done.]]',
  )
  await room.asked(sessionId, 2)
  await page.goto(`${house.signalbox.url}/inbox`)
  const items = page.locator('[data-approval]')
  await expect.poll(() => items.count(), patience).toBe(2)
  expect(await items.locator('[data-queue]').allTextContents()).toEqual(['1 of 2', '2 of 2'])
  await page.getByRole('button', { name: 'Refuse the rest' }).click()
  await page.getByText('Nothing waits for you').waitFor(patience)
  await page.goto(`${house.signalbox.url}/sessions/${sessionId}`)
  await inTranscript(page, 'Nothing done.').waitFor(patience)
  expect(await page.locator('[data-tool][data-state=denied]').count()).toBe(2)
  expect(complaints).toEqual([])
})

it('answers again, and goes back to what was said before', async () => {
  const { page, complaints } = await ask('once-more [[text:First answer.]]')
  await status(page, 'Succeeded').waitFor(patience)
  await page.getByRole('button', { name: 'Answer again' }).click()
  await expect.poll(() => room.requests('once-more').length, patience).toBe(2)
  await status(page, 'Succeeded').waitFor(patience)
  await expect.poll(() => page.locator('[data-end]').count(), patience).toBe(1)
  expect(await said(page)).toEqual(['First answer.'])
  expect(await page.locator('[data-row=message]').count()).toBe(1)
  await send(page, '[[text:Second answer.]]')
  await inTranscript(page, 'Second answer.').waitFor(patience)
  await status(page, 'Succeeded').waitFor(patience)

  const mine = page.locator('[data-row=message]')
  await mine.first().hover()
  await mine.first().getByRole('button', { name: 'Edit and ask again' }).click()
  await page.getByRole('textbox', { name: 'Your message, rewritten' }).fill('[[text:Another way.]]')
  await page.keyboard.press('Enter')
  await expect.poll(() => said(page), patience).toEqual(['Another way.'])
  expect(await mine.count()).toBe(1)
  await page.reload()
  await expect.poll(() => said(page), patience).toEqual(['Another way.'])
  expect(complaints).toEqual([])
})

it('stops while it answers, keeps what was said, and goes on', async () => {
  const { page, complaints } = await ask('[[slow:300]]')
  await inTranscript(page, '1 2 3').waitFor(patience)
  expect(await page.getByRole('button', { name: 'Choose a model' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.locator('[data-end=cancelled]').waitFor(patience)
  expect((await said(page)).join('')).toMatch(/^1 2 3/)
  await send(page, '[[text:Still here.]]')
  await inTranscript(page, 'Still here.').waitFor(patience)
  expect(complaints).toEqual([])
})

it('changes the model between two answers', async () => {
  const { page, complaints, sessionId } = await ask('[[text:One.]]')
  await status(page, 'Succeeded').waitFor(patience)
  await page.getByRole('button', { name: 'Choose a model' }).click()
  await page.getByPlaceholder('Find a model').fill('openai/gpt-5')
  await page.locator('[data-model-choice^="openai/gpt-5"]').first().click()
  await page.locator('[data-model^="openai/gpt-5"]').waitFor()
  await send(page, '[[text:Two.]]')
  await inTranscript(page, 'Two.').waitFor(patience)
  const { body } = await house.signalbox.call('GET', `/sessions/${sessionId}`)
  expect(body.data.facts.model).toContain('gpt-5')
  await page.goto(`${house.signalbox.url}/sessions`)
  const row = page.locator(`[data-session="${sessionId}"]`)
  await row.getByText('2 turns').waitFor()
  expect(await row.innerText()).toMatch(/Talker[^]*gpt-5[^]*\$0\.\d\d/)
  expect(complaints).toEqual([])
})

it('says what went wrong and asks again on one click', async () => {
  const { page } = await ask('[[status:400 1]] [[text:Better now.]]')
  await page.locator('[data-end=failed]').waitFor(patience)
  expect(await page.locator('[data-end=failed]').innerText()).toMatch(/400|refused/i)
  await page.getByRole('button', { name: 'Try again' }).click()
  await inTranscript(page, 'Better now.').waitFor(patience)
  expect(await page.locator('[data-end=failed]').count()).toBe(0)
})

const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC'

it('takes pictures along with a message, and shows them', async () => {
  const { page, complaints } = await ask('[[text:Ready.]]')
  await status(page, 'Succeeded').waitFor(patience)
  const picture = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') }
  await page
    .locator('[data-composer] input[type=file]')
    .setInputFiles([picture, { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no') }])
  await page.getByText('notes.txt is no picture that models understand').waitFor()
  await page.locator('[data-attached="dot.png"]').waitFor()
  await send(page, 'see-picture [[text:I see.]]')
  await inTranscript(page, 'I see.').waitFor(patience)
  expect(await page.locator('[data-attached]').count()).toBe(0)
  const shown = page.locator('[data-row=message] img[alt="dot.png"]')
  expect(await shown.evaluate((it) => (it as HTMLImageElement).naturalWidth)).toBe(8)
  expect(complaints).toEqual([])
})

it('says of a picture that is too large how large it is, and how large it may be', async () => {
  const { page } = await ask('[[text:Ready.]]')
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-pictures-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const ofSize = async (name: string, megabytes: number) => {
    await writeFile(join(folder, name), '')
    await truncate(join(folder, name), megabytes * 1024 * 1024)
    return join(folder, name)
  }
  const chooser = page.locator('[data-composer] input[type=file]')
  await chooser.setInputFiles(await ofSize('fits.png', 14))
  await page.locator('[data-attached="fits.png"]').waitFor()
  await page.getByRole('button', { name: 'Remove fits.png' }).click()
  await chooser.setInputFiles(await ofSize('huge.png', 15))
  await page.getByText('huge.png has 15 MB, and all pictures of a message together may have 14 MB').waitFor()
  expect(await page.locator('[data-attached]').count()).toBe(0)
  await chooser.setInputFiles([await ofSize('one.png', 8), await ofSize('two.png', 7)])
  await page.getByText('two.png has 7.0 MB, and all pictures').waitFor()
  expect(await page.locator('[data-attached]').count()).toBe(1)
})
