import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { cardIn, focusedTitle, openHouse, openBoard, titlesIn } from './browser.ts'

const house = openHouse()

const newTask = async (title: string, status = 'todo', more: object = {}): Promise<string> =>
  (await house.signalbox.call('POST', '/tasks', { title, status, ...more })).body.data.id
const theTask = async (id: string) => (await house.signalbox.call('GET', `/tasks/${id}`)).body.data

beforeEach(async () => {
  const { body } = await house.signalbox.call('GET', '/tasks?pageSize=500')
  for (const { id } of body.data) await house.signalbox.call('DELETE', `/tasks/${id}?subtasks=delete`)
})

/** Drags by hand: the way over, and then some more, so that the drop target notices. */
async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 10, from.y + 10, { steps: 3 })
  await page.mouse.move(to.x, to.y, { steps: 8 })
  await page.mouse.move(to.x + 1, to.y + 1, { steps: 3 })
}
async function middleOf(page: Page, selector: string): Promise<{ x: number; y: number }> {
  const box = await page.locator(selector).boundingBox()
  if (!box) throw new Error(`${selector} is not shown`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}
const dragIsThere = (page: Page) => page.locator('[data-card][draggable=true]').first().waitFor()

describe('making tasks', () => {
  it('begins with an empty board that teaches the next step', async () => {
    const { page, complaints } = await openBoard(house)
    await page.getByRole('heading', { name: 'Put the first task on the board' }).waitFor()
    await page.locator('main').getByRole('button', { name: 'New task' }).last().click()
    await page.getByLabel('Title').fill('Paint the signals')
    await page.getByRole('button', { name: 'Create task' }).click()
    await cardIn(page, 'todo', 'Paint the signals').waitFor()
    await expect.poll(() => focusedTitle(page)).toBe('Paint the signals')
    expect(complaints).toEqual([])
  })

  it('adds one after the other at the foot of a column', async () => {
    await newTask('First')
    const { page } = await openBoard(house)
    await page.getByRole('button', { name: 'New task in To do' }).click()
    await page.keyboard.type('Second\nThird\n')
    await expect.poll(() => titlesIn(page, 'todo')).toEqual(['First', 'Second', 'Third'])
  })

  it('shows what others wrote as text, whatever it looks like', async () => {
    await newTask('<img src=x onerror="document.title=1">')
    await newTask('שלום (world)')
    const { page, complaints } = await openBoard(house)
    await cardIn(page, 'todo', '<img src=x onerror="document.title=1">').waitFor()
    expect(await page.title()).toBe('Board · Signalbox')
    const direction = await page.evaluate(
      'getComputedStyle(document.querySelector("li:nth-child(2) .font-medium")).direction',
    )
    expect([direction, complaints]).toEqual(['rtl', []])
  })
})

describe('dragging', () => {
  it('moves a card into another column, and puts it between two others', async () => {
    for (const title of ['A', 'B', 'C']) await newTask(`Card ${title}`)
    const moved = await newTask('Mover', 'in_progress')
    const { page, complaints } = await openBoard(house)
    await dragIsThere(page)
    const target = await middleOf(page, '[data-column=todo] li:nth-child(2)')
    await drag(page, await middleOf(page, '[data-column=in_progress] [data-card]'), {
      x: target.x,
      y: target.y + 15,
    })
    await page.locator('[data-drop-line]').waitFor()
    await page.mouse.up()
    await expect.poll(() => titlesIn(page, 'todo')).toEqual(['Card A', 'Card B', 'Mover', 'Card C'])
    await expect.poll(async () => (await theTask(moved)).status).toBe('todo')
    expect(await titlesIn(page, 'todo')).toEqual(['Card A', 'Card B', 'Mover', 'Card C'])
    expect(complaints).toEqual([])
  })

  it('puts a card elsewhere in its own column', async () => {
    for (const title of ['A', 'B', 'C']) await newTask(`Card ${title}`)
    const { page } = await openBoard(house)
    await dragIsThere(page)
    const target = await middleOf(page, '[data-column=todo] li:nth-child(1)')
    await drag(page, await middleOf(page, '[data-column=todo] li:nth-child(3)'), {
      x: target.x,
      y: target.y - 15,
    })
    await page.mouse.up()
    await expect.poll(() => titlesIn(page, 'todo')).toEqual(['Card C', 'Card A', 'Card B'])
    await page.reload()
    await expect.poll(() => titlesIn(page, 'todo')).toEqual(['Card C', 'Card A', 'Card B'])
  })

  it('dims a column where the card may not go, says why, and refuses it', async () => {
    const id = await newTask('Stuck', 'blocked')
    await newTask('Finished', 'done')
    const { page } = await openBoard(house)
    await dragIsThere(page)
    await drag(
      page,
      await middleOf(page, '[data-column=blocked] [data-card]'),
      await middleOf(page, '[data-column=done]'),
    )
    await expect
      .poll(() => page.locator('[data-column=done] [data-forbidden]').textContent())
      .toBe('From Blocked a task can go to To do, In progress, or Cancelled')
    await page.mouse.up()
    await page.locator('[data-forbidden]').waitFor({ state: 'detached' })
    expect(await titlesIn(page, 'blocked')).toEqual(['Stuck'])
    expect((await theTask(id)).status).toBe('blocked')
    expect(await page.locator('[data-toast]').count()).toBe(0)
  })

  it('takes a move back that the server did not take, and says so', async () => {
    await newTask('Comes back')
    const { page } = await openBoard(house)
    await page.route('**/reorder', (route) => route.abort())
    await cardIn(page, 'todo', 'Comes back').focus()
    await page.keyboard.press('Alt+ArrowRight')
    await page.locator('[data-toast=problem]', { hasText: '“Comes back” was not moved.' }).waitFor()
    await expect.poll(() => titlesIn(page, 'todo')).toEqual(['Comes back'])
  })
})

describe('the keyboard', () => {
  it('goes from card to card, opens one, and comes back to it', async () => {
    for (const title of ['A', 'B']) await newTask(`Card ${title}`)
    await newTask('Beside', 'done')
    const { page } = await openBoard(house)
    await cardIn(page, 'todo', 'Card A').waitFor()
    const press = async (key: string) => {
      await page.keyboard.press(key)
      return focusedTitle(page)
    }
    expect(await press('ArrowDown')).toBe('Card A')
    expect(await press('j')).toBe('Card B')
    expect(await press('ArrowRight')).toBe('Beside')
    expect(await press('h')).toBe('Card A')
    expect(await press('ArrowDown')).toBe('Card B')
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Card B' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedTitle(page)).toBe('Card B')
  })

  it('moves a card and keeps the focus on it', async () => {
    const id = await newTask('Traveller')
    await newTask('Stays')
    const { page } = await openBoard(house)
    await cardIn(page, 'todo', 'Traveller').focus()
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(() => titlesIn(page, 'todo')).toEqual(['Stays', 'Traveller'])
    await page.keyboard.press('Alt+ArrowRight')
    await cardIn(page, 'in_progress', 'Traveller').waitFor()
    expect(await focusedTitle(page)).toBe('Traveller')
    await expect
      .poll(() => page.locator('[data-announcer]').textContent())
      .toContain('Traveller: In progress, 1 of 1')
    await page.keyboard.press('m')
    await page.getByRole('menuitem', { name: 'Done' }).click()
    await cardIn(page, 'done', 'Traveller').waitFor()
    await expect.poll(() => focusedTitle(page)).toBe('Traveller')
    await expect.poll(async () => (await theTask(id)).status).toBe('done')
  })

  it('keeps the focus on a card that somebody else moves, and gives it on when the card goes', async () => {
    const id = await newTask('Pulled away')
    await newTask('Heir', 'in_progress')
    const { page } = await openBoard(house)
    await cardIn(page, 'todo', 'Pulled away').focus()
    await house.signalbox.call('POST', `/tasks/${id}/reorder`, { status: 'in_progress' })
    await cardIn(page, 'in_progress', 'Pulled away').waitFor()
    await expect.poll(() => focusedTitle(page)).toBe('Pulled away')
    await house.signalbox.call('DELETE', `/tasks/${id}`)
    await expect.poll(() => focusedTitle(page)).toBe('Heir')
  })

  it('finds a task by its text, and does things', async () => {
    const id = await newTask('Needle in the hay')
    const { page, complaints } = await openBoard(house)
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Find anything, or do something…').fill('needle')
    await page.getByRole('option', { name: 'Needle in the hay' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Needle in the hay' }).waitFor()
    expect(page.url()).toContain(`task=${id}`)
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('giving a task to an agent', () => {
  const patience = { timeout: 20_000 }
  const demo = async (): Promise<string> => {
    const agents = (await house.signalbox.call('GET', '/agents')).body.data
    const known = agents.find(({ preset }: { preset: string | null }) => preset === 'demo')
    return known?.id ?? (await house.signalbox.call('POST', '/agents', { preset: 'demo' })).body.data.id
  }
  const waiting = async (taskId: string) => {
    const { body } = await house.signalbox.call('GET', `/executions?taskId=${taskId}`)
    const [execution] = body.data
    const asked = await house.signalbox.call('GET', `/approvals?status=waiting&executionId=${execution?.id}`)
    return asked.body.data?.[0]
  }

  it('starts it where the card is dropped, and tells on the card how it goes', async () => {
    const agentId = await demo()
    const id = await newTask('Given away')
    const { page, complaints } = await openBoard(house)
    await dragIsThere(page)
    expect(await page.locator('[data-agent-strip]').count()).toBe(0)
    const card = await middleOf(page, '[data-column=todo] [data-card]')
    await drag(page, card, { x: card.x + 60, y: card.y + 60 })
    const target = await middleOf(page, `[data-drop-agent="${agentId}"]`)
    await page.mouse.move(target.x, target.y, { steps: 8 })
    await page.mouse.move(target.x + 2, target.y + 1, { steps: 3 })
    await page.mouse.up()
    await page.locator('[data-agent-strip]').waitFor({ state: 'detached' })
    await page.locator('[data-toast]', { hasText: 'Demo agent is asked to work on “Given away”' }).waitFor()
    const moved = cardIn(page, 'in_progress', 'Given away')
    await moved.getByText('Write SIGNALBOX-DEMO.md').waitFor(patience)
    await expect.poll(() => moved.innerText(), patience).toMatch(/Waits for you.*Demo agent/s)
    await house.signalbox.call('POST', `/approvals/${(await waiting(id)).id}`, { decision: 'refused' })
    await expect.poll(() => moved.innerText(), patience).toContain('Turn over')
    expect(complaints).toEqual([])
  })

  it('does the same from the card’s menu, by keyboard', async () => {
    await demo()
    const id = await newTask('By menu')
    const { page, complaints } = await openBoard(house)
    await cardIn(page, 'todo', 'By menu').focus()
    await page.keyboard.press('m')
    await page.getByRole('menuitem', { name: 'Start with Demo agent' }).waitFor()
    await page.keyboard.press('d') // finds by the first letter, as menus do
    for (let presses = 0; presses < 8; presses += 1) {
      const chosen = await page.locator('[role=menuitem][data-highlighted]').getAttribute('aria-label')
      if (chosen === 'Start with Demo agent') break
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
    await cardIn(page, 'in_progress', 'By menu').waitFor(patience)
    await expect.poll(async () => (await waiting(id))?.title, patience).toBe('Write SIGNALBOX-DEMO.md')
    await house.signalbox.call('POST', `/approvals/${(await waiting(id)).id}`, { decision: 'refused' })
    expect(complaints).toEqual([])
  })

  it('asks first where what it would do is dangerous, and begins at once when somebody is sure', async () => {
    const agentId = await demo()
    const [capability] = (await house.signalbox.call('GET', `/agents/${agentId}/capabilities`)).body.data
    const path = `/agents/${agentId}/capabilities/${capability.id}`
    expect((await house.signalbox.call('PATCH', path, { dangerLevel: 3 })).status).toBe(200)
    onTestFinished(() => void house.signalbox.call('PATCH', path, { dangerLevel: 1 }))
    const id = await newTask('Dangerous')
    const { page, complaints } = await openBoard(house)
    await cardIn(page, 'todo', 'Dangerous').focus()
    await page.keyboard.press('m')
    await page.getByRole('menuitem', { name: 'Start with Demo agent' }).click()
    const form = page.getByRole('dialog', { name: 'Start an agent on this task' })
    await form.getByRole('button', { name: /^Start…/ }).click()
    const sure = page.locator('[data-danger-dialog="3"]')
    await sure.getByRole('textbox').fill(capability.key)
    expect((await house.signalbox.call('GET', `/executions?taskId=${id}`)).body.data).toEqual([])
    await sure.getByRole('button', { name: 'Run it now' }).click()
    await expect.poll(async () => (await waiting(id))?.title, patience).toBe('Write SIGNALBOX-DEMO.md')
    await house.signalbox.call('POST', `/approvals/${(await waiting(id)).id}`, { decision: 'refused' })
    expect(complaints).toEqual([])
  })
})

it('narrows the board to what was typed, and keeps that in the address', async () => {
  await newTask('Brass levers')
  await newTask('Oil lamps', 'done')
  const { page } = await openBoard(house)
  await cardIn(page, 'done', 'Oil lamps').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('BRASS')
  await cardIn(page, 'done', 'Oil lamps').waitFor({ state: 'detached' })
  expect(await titlesIn(page, 'todo')).toEqual(['Brass levers'])
  await newTask('More brass')
  await cardIn(page, 'todo', 'More brass').waitFor()
  await page.reload()
  await expect.poll(() => titlesIn(page, 'todo')).toEqual(['Brass levers', 'More brass'])
  expect(new URL(page.url()).searchParams.get('q')).toBe('BRASS')
})
