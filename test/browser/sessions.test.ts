import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { registerShell } from '../support/shell-agent.ts'
import type { ShellAgent } from '../support/shell-agent.ts'
import { openBoard, openHouse } from './browser.ts'

const house = openHouse()
let shell: ShellAgent
beforeAll(async () => {
  shell = await registerShell(house.signalbox)
})

/** A program waits for a file of this name; the test says when it is there. */
const until = (name: string) => `while [ ! -e "${join(house.signalbox.work, name)}" ]; do sleep 0.05; done`
const goOn = (name: string) => writeFile(join(house.signalbox.work, name), '')

const status = (page: Page, word: string) => page.locator('[data-status]', { hasText: word })
const line = (page: Page, text: string) =>
  page.locator('[data-line] > span:last-child').getByText(text, { exact: true })

it('shows what runs while it runs: in the list, and all that it writes', async () => {
  const { page, complaints } = await openBoard(house)
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.getByText('Nothing has run yet').waitFor()
  const { sessionId } = await shell.run(
    `echo first; ${until('live')}; printf '\\033[31mred\\033[0m <b>text</b>\\n'; echo oops >&2; exit 3`,
  )
  const row = page.locator(`[data-session="${sessionId}"]`)
  await row.getByText('Running').waitFor()
  await row.click()
  await line(page, 'first').waitFor()

  await goOn('live')
  await line(page, 'red').waitFor()
  await line(page, 'oops').waitFor()
  await status(page, 'Failed').waitFor()
  await page.getByText('Exited with code 3').waitFor()
  const [red, text] = await Promise.all(
    [line(page, 'red'), line(page, '<b>text</b>')].map((each) =>
      each.evaluate((span) => getComputedStyle(span).color),
    ),
  )
  expect(red).not.toBe(text)
  expect(await page.locator('[data-stream=stderr]').innerText()).toContain('oops')
  await page.getByRole('link', { name: 'All sessions' }).click()
  await row.getByText('Failed').waitFor()
  expect(complaints).toEqual([])
})

it('lists sessions, not their turns: what each is about, who answers, how it goes, its turns and its cost', async () => {
  const { body } = await house.signalbox.call('POST', '/tasks', { title: 'Paint the signals' })
  const { sessionId } = await shell.run('echo one', { taskId: body.data.id })
  const { page, complaints } = await openBoard(house, '/sessions')
  const row = page.locator(`[data-session="${sessionId}"]`)
  await row.getByText('Succeeded').waitFor()
  expect(await row.innerText()).toMatch(/Paint the signals[^]*shell[^]*1\s*turn\b/)
  const rows = await page.locator('[data-session]').count()
  await shell.run(`echo two; ${until('listed')}`, { sessionId })
  await row.getByText('Running').waitFor()
  await row.getByText('2 turns').waitFor()
  await goOn('listed')
  await row.getByText('Succeeded').waitFor()
  expect(await page.locator('[data-session]').count()).toBe(rows)
  await page.getByText(`${rows} session`).waitFor()

  const { agentId } = (await house.signalbox.call('GET', `/sessions/${sessionId}`)).body.data
  const opened = await house.signalbox.call('POST', '/sessions', { agentId, title: 'Nothing said' })
  await page.reload()
  const silent = page.locator(`[data-session="${opened.body.data.id}"]`)
  await silent.getByText('Not started').waitFor()
  expect(await silent.innerText()).toContain('Nothing said')
  await row.click()
  await page.getByRole('heading', { name: 'Paint the signals' }).waitFor()
  expect(complaints).toEqual([])
})

it('cancels, and says what became of it', async () => {
  const { sessionId } = await shell.run('echo up; sleep 600')
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  await line(page, 'up').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await status(page, 'Cancelled').waitFor()
  expect(await page.locator('[data-cancel]').count()).toBe(0)
  expect(complaints).toEqual([])
})

interface Up {
  children: { name: string; pid: number }[]
}
async function killWeb(): Promise<void> {
  const { children }: Up = JSON.parse(await readFile(join(house.signalbox.home, 'up.json'), 'utf8'))
  for (const { name, pid } of children) if (name === 'web') process.kill(pid, 'SIGKILL')
}

it('loses and doubles nothing when web is killed under it', async () => {
  const { sessionId } = await shell.run(
    `echo before; ${until('dark')}; seq 1 500; ${until('again')}; echo after`,
  )
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  await line(page, 'before').waitFor()
  await page.evaluate('window.isSamePage = true')
  const lost = page.getByText('Connection lost. What you see may be old').waitFor()
  await killWeb()
  await goOn('dark')
  await lost
  await line(page, '500').waitFor({ timeout: 30_000 })
  await goOn('again')
  await status(page, 'Succeeded').waitFor()
  await line(page, 'after').waitFor()
  await page.getByText('502 lines', { exact: true }).waitFor()
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  expect(complaints).toEqual([])
})

it('scrolls through 200,000 lines, drawing only those in sight', async () => {
  const { sessionId } = await shell.run(`seq 200000 | sed 's/^/line /'; ${until('long')}; echo the end`)
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  const log = page.locator('[data-log]')
  await line(page, 'line 200000').waitFor({ timeout: 30_000 })
  const drawn = () => page.locator('[data-line]').count()
  expect(await drawn()).toBeLessThan(150)

  await log.focus()
  await page.keyboard.press('Home')
  await line(page, 'line 1').waitFor()
  await log.evaluate((it) => (it.scrollTop = it.scrollHeight / 2))
  await line(page, 'line 100000').waitFor()
  expect(await drawn()).toBeLessThan(150)

  const top = await log.evaluate((it) => it.scrollTop)
  await goOn('long')
  await page.getByRole('button', { name: '1 new line' }).waitFor()
  expect(await log.evaluate((it) => it.scrollTop)).toBe(top)
  await page.getByRole('button', { name: '1 new line' }).click()
  await line(page, 'the end').waitFor()
  expect(await page.getByRole('button', { name: 'Jump to the end' }).count()).toBe(0)
  expect(complaints).toEqual([])
})

it('keeps what ran with its task, and the turns of a session together', async () => {
  const { body } = await house.signalbox.call('POST', '/tasks', { title: 'Worked on' })
  const first = await shell.run('echo one', { taskId: body.data.id })
  const { page, complaints } = await openBoard(house, `/board?task=${body.data.id}`)
  const sheet = page.getByRole('complementary', { name: 'Worked on' })
  await sheet.getByRole('link', { name: /Succeeded.*shell/ }).click()
  await line(page, 'one').waitFor()
  await page.getByRole('heading', { name: 'Worked on' }).waitFor()

  await shell.run('echo two', { sessionId: first.sessionId })
  await page
    .getByRole('link', { name: /Turn 2/ })
    .first()
    .click()
  await line(page, 'two').waitFor()
  await page
    .getByRole('link', { name: /Turn 1/ })
    .first()
    .click()
  await line(page, 'one').waitFor()
  expect(complaints).toEqual([])
})

it('says so when there is no such session', async () => {
  const { page } = await openBoard(house, '/sessions/01900000-0000-7000-8000-000000000000')
  await page.getByText('This session is not there').waitFor()
  await page.getByRole('link', { name: 'All sessions' }).last().click()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/sessions')
})

it('downloads the log as it was written', async () => {
  const { sessionId } = await shell.run(`printf 'a\\033[32mb\\n\\377\\n'`)
  const { page } = await openBoard(house, `/sessions/${sessionId}`)
  await status(page, 'Succeeded').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the log' }).click()
  const file = await (await download).path()
  expect(await readFile(file)).toEqual(
    Buffer.from([0x61, 0x1b, 0x5b, 0x33, 0x32, 0x6d, 0x62, 0x0a, 0xff, 0x0a]),
  )
})

it('lets something dangerous begin where it would write its log', async () => {
  const { signalbox } = house
  const agents: { id: string; builtin: boolean }[] = (await signalbox.call('GET', '/agents')).body.data
  const agent = agents.find(({ builtin }) => !builtin)!
  const { body } = await signalbox.call('POST', `/agents/${agent.id}/capabilities`, {
    key: 'clean',
    interactionMode: 'template',
    commandTokens: ['sh', '-c', 'echo cleaned'],
    dangerLevel: 3,
  })
  const started = await signalbox.call('POST', '/executions', { capabilityId: body.data.id })
  const { page, complaints } = await openBoard(house, `/sessions/${started.body.data.sessionId}`)
  await status(page, 'Waits for you').waitFor()
  await page.locator('[data-approval-card]').getByRole('button', { name: 'Allow', exact: false }).click()
  await line(page, 'cleaned').waitFor()
  await status(page, 'Succeeded').waitFor()
  expect(await page.locator('[data-approval-card]').count()).toBe(0)
  expect(complaints).toEqual([])
})
