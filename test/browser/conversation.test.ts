import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { killChild } from '../support/kill-child.ts'
import { openBoard } from './browser.ts'
import { openTalking } from './talking.ts'

const { house, store, ask } = openTalking()
const patience = { timeout: 20_000 }

const said = (page: Page) => page.locator('[data-row=text]').allTextContents()
const status = (page: Page, word: string) => page.locator('[data-status]', { hasText: word })
const composer = (page: Page) => page.getByRole('textbox', { name: 'Message to scripted' })

it('shows what an agent says, thinks, plans and does, as text and nothing else', async () => {
  const edit = {
    sessionUpdate: 'tool_call',
    toolCallId: 'edit-1',
    title: 'Edit notes.md',
    name: 'edit',
    kind: 'edit',
    status: 'completed',
    rawInput: { path: 'notes.md' },
    content: [{ type: 'diff', path: 'notes.md', oldText: 'one\ntwo\n', newText: 'one\nthree\n' }],
  }
  const { sessionId } = await ask(
    [
      'think It is <b>not</b> bold',
      'plan look write',
      'tool search 3 results in <i>two</i> files',
      `update ${JSON.stringify(edit)}`,
      'say Hello <script>alert(1)</script> **there**',
      'usage 1200 34',
      'cost 0.25',
    ].join('\n'),
  )
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  await status(page, 'Succeeded').waitFor(patience)
  await page.locator('[data-end=succeeded]').waitFor()
  expect(await said(page)).toEqual(['Hello <script>alert(1)</script> there'])
  await page.locator('[data-row=message]', { hasText: 'think It is' }).waitFor()
  const thoughts = page.locator('[data-row=reasoning]')
  expect(await thoughts.getByText('It is <b>not</b> bold').isVisible()).toBe(false)
  await thoughts.getByText('Thoughts').click()
  await thoughts.getByText('It is <b>not</b> bold').waitFor()
  expect(await page.getByRole('region', { name: 'Plan' }).innerText()).toMatch(/look[^]*write/)

  const search = page.locator('[data-tool=search]')
  expect(await search.getAttribute('data-state')).toBe('done')
  await search.getByRole('button').click()
  await search.getByText('3 results in <i>two</i> files').waitFor()
  const edited = page.locator('[data-tool=edit]')
  await edited.getByText('+1').waitFor()
  await edited.getByRole('button').click()
  expect(await edited.locator('[data-diff]').innerText()).toMatch(/one\n-two\n\+three/)
  expect(await page.locator('[data-usage]').first().innerText()).toBe('1.2K in, 34 out · $0.25')
  expect(complaints).toEqual([])
})

it('lets a question be answered where it is asked', async () => {
  const { sessionId } = await ask(`note ${join(store, 'inline')} word\nsay done`)
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  await status(page, 'Waits for you').waitFor(patience)
  const card = page.locator('[data-approval-card]')
  await card.getByText('note word').first().waitFor()
  expect(await page.locator('[data-tool]').getAttribute('data-state')).toBe('asked')
  await card.getByRole('button', { name: 'Allow', exact: false }).first().click()
  await page.locator('[data-answered=granted]', { hasText: 'by you' }).waitFor()
  await page.locator('[data-end=succeeded]').waitFor(patience)
  expect(await page.locator('[data-tool]').getAttribute('data-state')).toBe('done')
  expect(await said(page)).toEqual(['answered yesdone'])
  expect(complaints).toEqual([])
})

it('speaks to the agent: before, while and after it works', async () => {
  const { id, sessionId } = await ask('say first\nask go on')
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  await page.locator('[data-approval-card]').waitFor(patience)
  await page.getByText('your message steers it, or waits').waitFor()
  await composer(page).fill('say second')
  await page.reload()
  expect(await composer(page).inputValue()).toBe('say second')
  await composer(page).press('Control+End')
  await composer(page).press('Shift+Enter')
  await page.keyboard.type('say third')
  await page.keyboard.press('Enter')
  await page
    .locator('[data-delivery=queued]', { hasText: 'Waits for the end of this turn' })
    .waitFor(patience)
  expect(await composer(page).inputValue()).toBe('')
  await page.getByRole('button', { name: 'Allow', exact: false }).first().click()
  await status(page, 'Succeeded').waitFor(patience)
  expect((await said(page)).join('')).toBe('firstanswered yessecondthird')

  await composer(page).fill('say fourth\nstall')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('fourth', { exact: true }).waitFor(patience)
  await status(page, 'Running').waitFor(patience)
  await page.getByRole('button', { name: 'Interrupt' }).click()
  await page.locator('[data-end=cancelled]', { hasText: 'Interrupted' }).waitFor(patience)
  const { body } = await house.signalbox.call('GET', `/executions?sessionId=${sessionId}`)
  expect(body.meta.total).toBe(2)
  expect(body.data.at(-1).id).toBe(id)
  expect(complaints).toEqual([])
})

it('keeps what could not be sent, and says why', async () => {
  const { sessionId } = await ask('say one')
  const { page } = await openBoard(house, `/sessions/${sessionId}`)
  await status(page, 'Succeeded').waitFor(patience)
  await composer(page).fill('say two')
  await page.route('**/messages', (route) => route.abort())
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Not sent. Signalbox does not answer').waitFor()
  expect(await composer(page).inputValue()).toBe('say two')
  await page.unroute('**/messages')

  await house.signalbox.call('DELETE', `/sessions/${sessionId}`)
  const trashed = page.locator('[data-trashed]', { hasText: 'In the trash' })
  await trashed.waitFor(patience)
  expect(await composer(page).count()).toBe(0)
  await trashed.getByRole('button', { name: 'Restore' }).click()
  expect(await composer(page).inputValue()).toBe('say two')
  await composer(page).press('Enter')
  await page.locator('[data-row=text]', { hasText: 'two' }).waitFor(patience)
})

it('loses and doubles nothing when web is killed under it', async () => {
  const { id, sessionId } = await ask('say before\nask go on\nflood 1000 4\nsay after')
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  await page.locator('[data-approval-card]').waitFor(patience)
  await page.evaluate('window.isSamePage = true')
  await page.getByRole('button', { name: 'Allow', exact: false }).first().click()
  await page.locator('[data-row=text]', { hasText: '1;2;3;' }).waitFor(patience)
  const lost = page.getByText('Connection lost. What you see may be old').waitFor(patience)
  await killChild(house.signalbox, 'web')
  await lost
  await status(page, 'Succeeded').waitFor({ timeout: 40_000 })
  await page.locator('[data-end=succeeded]').waitFor()
  const whole = `beforeanswered yes${Array.from({ length: 4000 }, (_, index) => `${index + 1};`).join('')}after`
  await expect.poll(() => wholeText(page), patience).toBe(whole)
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  expect((await house.signalbox.call('GET', `/executions/${id}`)).body.data.status).toBe('succeeded')
  expect(complaints).toEqual([])
})

/** All rows are only there one after the other: from the beginning, page by page. */
const wholeText = (page: Page) =>
  page.evaluate<string>(`(async () => {
    const scroller = document.querySelector('[data-transcript]')
    const found = new Map()
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    for (let top = 0; ; top += 200) {
      scroller.scrollTop = top
      await frame()
      for (const row of document.querySelectorAll('[data-row=text]')) found.set(Number(row.dataset.index), row.textContent)
      if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) break
    }
    return [...found].toSorted(([one], [other]) => one - other).map(([, text]) => text).join('')
  })()`)

it('stays at the end while it is in sight, keeps its place when not, and draws only what is seen', async () => {
  const talk = Array.from({ length: 200 }, (_, line) => `think about ${line}\nsay step ${line}`)
  const { sessionId } = await ask([...talk, 'ask go on', 'say the end'].join('\n'))
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  const card = page.locator('[data-approval-card]')
  await card.waitFor({ timeout: 40_000 })
  await expect.poll(() => card.isVisible()).toBe(true)
  const scroller = page.locator('[data-transcript]')
  expect(await page.locator('[data-row]').count()).toBeLessThan(80)
  await scroller.evaluate((it) => (it.scrollTop = it.scrollHeight / 2))
  await page.getByRole('button', { name: 'Jump to the end' }).waitFor()
  const seen = () =>
    scroller.evaluate((it) => {
      const top = it.getBoundingClientRect().top
      const first = [...it.querySelectorAll<HTMLElement>('[data-row=text]')].find(
        (row) => row.getBoundingClientRect().bottom > top,
      )
      return [first?.textContent, Math.round((first?.getBoundingClientRect().top ?? 0) - top)]
    })
  const before = await seen()
  const { body } = await house.signalbox.call('GET', `/approvals?status=waiting&sessionId=${sessionId}`)
  await house.signalbox.call('POST', `/approvals/${body.data[0].id}`, { decision: 'granted' })
  await page.getByRole('button', { name: 'Something new below' }).waitFor(patience)
  expect(await seen()).toEqual(before)
  await page.getByRole('button', { name: 'Something new below' }).click()
  await page.locator('[data-row=text]', { hasText: 'the end' }).waitFor()
  expect(complaints).toEqual([])
})

it('shows what the program itself wrote beside it, and goes back', async () => {
  const { sessionId } = await ask('complain Bad weather\nsay fine')
  const { page } = await openBoard(house, `/sessions/${sessionId}`)
  await status(page, 'Succeeded').waitFor(patience)
  await page.getByRole('link', { name: 'Log', exact: true }).click()
  await page.locator('[data-stream=stderr]', { hasText: 'Bad weather' }).waitFor()
  expect(new URL(page.url()).searchParams.get('view')).toBe('log')
  await page.locator('[data-row=text]', { hasText: 'fine' }).waitFor()
  await page.getByRole('button', { name: 'Hide the panel' }).click()
  await page.locator('[data-log]').waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('')
  expect(await page.locator('[data-transcript]').innerText()).not.toMatch(/^Bad weather/m)
})
