import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
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

/** Rows of very different heights: nothing that was only guessed is right. */
const long = (name: string, paragraphs = 12) =>
  `[[think:Let me see.]] [[text:# ${name}\n\n${Array.from(
    { length: paragraphs },
    (_, at) =>
      `Paragraph ${at} of ${name}${' and so on'.repeat((at * 7) % 23)}.\n\n- one\n- two\n\n\`\`\`\ncode ${at}\n\`\`\``,
  ).join('\n\n')}\n\nEnd of ${name}.]]`

const scroller = (page: Page) => page.locator('[data-transcript]')
const place = (page: Page) =>
  scroller(page).evaluate((it) => ({
    top: Math.round(it.scrollTop),
    below: Math.round(it.scrollHeight - it.scrollTop - it.clientHeight),
    isTall: it.scrollHeight > it.clientHeight + 100,
  }))
const below = async (page: Page) => (await place(page)).below

/** In sight with its last line: neither below the fold nor scrolled away. */
const showsFoot = (page: Page, selector: string) =>
  page.evaluate<boolean>(`(() => {
    const row = [...document.querySelectorAll(${JSON.stringify(selector)})].at(-1)
    if (!row) return false
    const { top, bottom } = document.querySelector('[data-transcript]').getBoundingClientRect()
    const foot = row.getBoundingClientRect().bottom
    return foot > top && foot <= bottom + 1
  })()`)

/** Notes down, frame by frame, how far the end was from sight. */
const watch = (page: Page) =>
  page.evaluate(`(() => {
    const it = document.querySelector('[data-transcript]')
    window.farthest = 0
    const look = () => {
      window.farthest = Math.max(window.farthest, it.scrollHeight - it.scrollTop - it.clientHeight)
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })()`)
const farthest = (page: Page) => page.evaluate<number>('window.farthest')

async function ended(page: Page, turns: number): Promise<void> {
  const path = `/sessions/${page.url().split('/').at(-1)}`
  await expect
    .poll(async () => (await house.signalbox.call('GET', path)).body.data.executions, patience)
    .toBe(turns)
  await page.locator('[data-status=succeeded]').waitFor(patience)
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message to' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

async function open(sessionId: string, width: number, height: number): Promise<Opened> {
  const opened = await openBoard(house, '/settings')
  await opened.page.setViewportSize({ width, height })
  await opened.page.goto(`${house.signalbox.url}/sessions/${sessionId}`)
  return opened
}

const jump = (page: Page) => page.getByRole('button', { name: /Jump to the end|Something new below/ })

const screens: [name: string, width: number, height: number][] = [
  ['a desk', 1280, 800],
  ['a phone', 390, 844],
]
it.each(screens)(
  'follows a conversation on %s, whoever speaks, while its end is in sight',
  async (_, ...size) => {
    const sessionId = await room.open(agent)
    for (const name of ['first', 'second', 'third']) await room.turn(agent, sessionId, long(name))
    const { page, complaints } = await open(sessionId, ...size)
    await expect.poll(() => showsFoot(page, '[data-end]'), patience).toBe(true)
    expect((await place(page)).isTall).toBe(true)
    expect(await below(page)).toBeLessThan(2)
    await watch(page)

    await send(page, `mine ${long('fourth', 40)}`)
    await page.locator('[data-row=message]', { hasText: 'mine' }).last().waitFor(patience)
    await ended(page, 4)
    await expect.poll(() => showsFoot(page, '[data-end]'), patience).toBe(true)

    await room.turn(agent, sessionId, `from elsewhere ${long('fifth')}`)
    await ended(page, 5)
    await expect.poll(() => showsFoot(page, '[data-end]'), patience).toBe(true)

    await send(page, '[[calls:[["book",{"key":"f"}],["book",{"key":"g"}]]]] [[text:Booked.]]')
    await page.locator('[data-approval-card]').waitFor(patience)
    await expect.poll(() => showsFoot(page, '[data-approval-card]'), patience).toBe(true)
    await page.getByRole('button', { name: 'Allow all 2' }).click()
    await ended(page, 6)
    await expect.poll(() => showsFoot(page, '[data-end]'), patience).toBe(true)
    expect(await below(page)).toBeLessThan(2)
    // Between what is drawn and what is measured there may be a frame, but never a screen.
    expect(await farthest(page)).toBeLessThan(400)
    expect(await jump(page).count()).toBe(0)
    expect(complaints).toEqual([])
  },
)

it.each(screens)(
  'follows a chat on %s that begins with nothing, until it is taller than its place',
  async (_, ...size) => {
    const sessionId = await room.open(agent)
    const { page, complaints } = await open(sessionId, ...size)
    for (const [at, name] of ['one', 'two', 'three', 'four'].entries()) {
      await send(page, `${name} ${long(name, 4)}`)
      await ended(page, at + 1)
      await expect.poll(() => showsFoot(page, '[data-end]'), patience).toBe(true)
    }
    expect((await place(page)).isTall).toBe(true)
    expect(await below(page)).toBeLessThan(2)
    expect(complaints).toEqual([])
  },
)

it.each(screens)(
  'stays on %s where somebody reads further up, until they speak themselves',
  async (_, ...size) => {
    const sessionId = await room.open(agent)
    for (const name of ['first', 'second', 'third']) await room.turn(agent, sessionId, long(name))
    const { page, complaints } = await open(sessionId, ...size)
    await expect.poll(() => showsFoot(page, '[data-end]'), patience).toBe(true)
    await scroller(page).hover()
    const { top } = await place(page)
    for (let turn = 0; turn < 4; turn += 1) {
      await page.mouse.wheel(0, -120)
      await expect.poll(async () => (await place(page)).top, patience).toBeLessThan(top - turn * 100)
    }
    await page.getByRole('button', { name: 'Jump to the end' }).waitFor()
    const seen = () =>
      scroller(page).evaluate((it) => {
        const edge = it.getBoundingClientRect().top
        const first = [...it.querySelectorAll<HTMLElement>('[data-row] li, [data-row] p')].find(
          (row) => row.getBoundingClientRect().top > edge,
        )
        return [first?.textContent, Math.round((first?.getBoundingClientRect().top ?? 0) - edge)]
      })
    const before = await seen()
    await room.turn(agent, sessionId, `from elsewhere ${long('fourth')}`)
    await page.getByRole('button', { name: 'Something new below' }).waitFor(patience)
    await ended(page, 4)
    expect(await seen()).toEqual(before)

    await send(page, `mine ${long('fifth')}`)
    await ended(page, 5)
    await expect.poll(() => showsFoot(page, '[data-end]'), patience).toBe(true)
    await expect.poll(() => jump(page).count(), patience).toBe(0)

    await scroller(page).evaluate((it) => (it.scrollTop = 0))
    await jump(page).click()
    await expect.poll(() => showsFoot(page, '[data-end]'), patience).toBe(true)
    await expect.poll(() => jump(page).count(), patience).toBe(0)
    expect(complaints).toEqual([])
  },
)
