import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { killChild } from '../support/kill-child.ts'
import { openBoard, openPage } from './browser.ts'
import { live, openTerminals, paste, patience, shows, textOf, typeInto } from './terminals.ts'

const { house, folder, begin, open } = openTerminals()
const shellOf = (sessionId: string) => `/sessions/${sessionId}?view=terminal&window=shell`

it('lets two pages type into one shell, and both see the same, as large as the smaller one has room for', async () => {
  const sessionId = await begin('one')
  const one = await open(shellOf(sessionId))
  await typeInto(one.page, 'echo first $((40+2))\n')
  await shows(one.page, 'first 42')
  const other = await open(shellOf(sessionId), { viewport: { width: 420, height: 600 } })
  await shows(other.page, 'first 42')
  await typeInto(other.page, 'echo second $((40+3))\n')
  await shows(other.page, 'second 43')
  await shows(one.page, 'second 43')
  await expect.poll(async () => (await textOf(one.page)) === (await textOf(other.page)), patience).toBe(true)
  for (const { page } of [one, other]) await page.locator('[data-viewers="2"]').waitFor()
  await one.page.locator('[data-size]', { hasText: 'the smallest screen' }).waitFor()
  expect(await other.page.locator('[data-size]').count()).toBe(0)
  await other.page.close()
  await one.page.locator('[data-size]').waitFor({ state: 'detached' })
  expect([one.complaints, other.complaints]).toEqual([[], []])
})

it('paints all of it again after a reload, and what has left the screen can be scrolled back to', async () => {
  const { page, complaints } = await open(shellOf(await begin('one')))
  await typeInto(page, 'seq 1 300; echo kept\n')
  await shows(page, /300\n.*kept/)
  await page.reload()
  await live(page)
  await shows(page, /299\n300\nkept/)
  // Where what has left the screen and what is on it meet, nothing is missing and nothing is between.
  await page.keyboard.press('Shift+PageUp')
  await shows(page, /\n26\d\n27\d/)
  const around = (await textOf(page)).split('\n').map(Number)
  expect(around.map((line) => line - around[0]!)).toEqual(around.map((_, index) => index))
  const upThere = async () => {
    await page.keyboard.press('Shift+PageUp')
    return textOf(page)
  }
  await expect.poll(upThere, patience).toMatch(/seq 1 300[^]*\n1\n2\n3\n/)
  expect(complaints).toEqual([])
})

it('draws much output to its end, and stays ready for what is typed', async () => {
  const { page, complaints } = await open(shellOf(await begin('one')))
  await typeInto(page, `for i in $(seq 1 40); do seq 1 5000; sleep 0.02; done; echo all of''it\n`)
  await shows(page, /5000\nall ofit/)
  await typeInto(page, 'echo ready $((40+2))\n')
  await shows(page, 'ready 42')
  expect(complaints).toEqual([])
})

it('goes on where it was when the terminal process is killed', async () => {
  const { page, complaints } = await open(shellOf(await begin('one')))
  await typeInto(page, 'before=$((40+2)); echo is $before\n')
  await shows(page, 'is 42')
  await page.evaluate('window.isSamePage = true')
  const lost = page.locator('[data-told=lost]').waitFor(patience)
  await killChild(house.signalbox, 'terminal')
  await lost
  expect(await textOf(page)).toContain('is 42')
  await live(page)
  await typeInto(page, 'echo still $before\n')
  await shows(page, 'still 42')
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  expect(complaints.filter((text) => !text.includes('WebSocket'))).toEqual([])
})

it('asks before it pastes several lines, and shows what a program would be told', async () => {
  const { page, complaints } = await open(shellOf(await begin('one')))
  await paste(page, 'echo one word')
  await shows(page, /[#$] echo one word$/)
  await page.keyboard.press('Control+U')
  const dialog = page.getByRole('dialog')
  await paste(page, 'echo pasted-one\necho pasted-two\u001b[201~\u0003\n')
  await dialog.getByText('Paste 2 lines?').waitFor()
  expect(await dialog.locator('[data-pasted]').innerText()).toContain('⟨U+001B⟩[201~⟨U+0003⟩')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await typeInto(page, 'echo nothing was pasted\n')
  await shows(page, /\nnothing was pasted/)
  expect(await textOf(page)).not.toContain('pasted-one')

  await paste(page, 'echo pasted-three\necho pasted-four\n')
  await dialog.getByRole('button', { name: 'Paste', exact: true }).click()
  await page.keyboard.press('Enter')
  await shows(page, /\npasted-three\npasted-four/)
  expect(complaints).toEqual([])
})

it('pastes a megabyte whole and in order', async () => {
  const { page, complaints } = await open(shellOf(await begin('one')))
  const file = join(folder, 'megabyte')
  const text = Array.from({ length: 20_000 }, (_, line) => `${line} ${'grüße '.repeat(7)}`).join('\n')
  await typeInto(page, `stty -echo; cat > ${file}; stty echo; echo writ''ten\n`)
  await shows(page, /cat > /)
  await paste(page, `${text}\n`)
  await page.getByRole('dialog').getByRole('button', { name: 'Paste', exact: true }).click()
  await expect.poll(() => statSync(file).size, patience).toBe(Buffer.byteLength(text) + 1)
  await page.keyboard.press('Control+D')
  await shows(page, 'written')
  expect(readFileSync(file, 'utf8') === `${text}\n`).toBe(true)
  expect(complaints).toEqual([])
})

it('says that a program does not read what is pasted, and stops', async () => {
  const { page, complaints } = await open(shellOf(await begin('one')))
  await typeInto(page, `stty raw -echo; printf 'de%s\\r\\n' af; sleep 600\n`)
  await shows(page, '\ndeaf')
  await paste(page, 'x'.repeat(8_000_000))
  await page.locator('[data-told=pasting]').waitFor(patience)
  await page.locator('[data-toast=problem]', { hasText: 'does not read' }).waitFor(patience)
  await page.locator('[data-told=pasting]').waitFor({ ...patience, state: 'detached' })
  expect(complaints).toEqual([])
})

it('takes a session over: the agent’s own interface is typed into, the composer is locked; and hands it back', async () => {
  const sessionId = await begin('ask')
  const { page, complaints } = await open(`/sessions/${sessionId}?view=terminal`)
  await page.locator('[data-read-only]').waitFor()
  const reader = await open(`/sessions/${sessionId}?view=terminal`)
  await page.locator('[data-status]', { hasText: 'Waits for you' }).waitFor(patience)
  await page.getByRole('button', { name: 'Take over' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The turn under way is interrupted.').waitFor()
  await dialog.getByText('1 open question expires').waitFor()
  await dialog.getByRole('button', { name: 'Take over' }).click()
  for (const each of [page, reader.page]) {
    await shows(each, /This is [\da-f-]{36}/)
    await each.locator('[data-read-only]').waitFor({ state: 'detached' })
  }
  await typeInto(page, 'from the terminal\r')
  await shows(page, 'turn 2: from the terminal')
  await shows(reader.page, 'turn 2: from the terminal')

  await page.locator('[data-locked]', { hasText: 'A person has this session' }).waitFor()
  expect(await page.getByRole('textbox', { name: /^Message to/ }).count()).toBe(0)
  await page.locator('[data-locked]').getByRole('button', { name: 'Hand back' }).click()
  await page.locator('[data-row=text]', { hasText: 'turn 2: from the terminal' }).waitFor(patience)
  await page.getByRole('textbox', { name: /^Message to/ }).waitFor()
  await reader.page.locator('[data-read-only]').waitFor(patience)
  await shows(reader.page, 'turn 2: from the terminal')
  expect([complaints, reader.complaints]).toEqual([[], []])
})

it('only watches where that is wanted, and says so', async () => {
  const sessionId = await begin('one')
  const { page, complaints } = await open(shellOf(sessionId))
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Only watch' }).click()
  await page.locator('[data-read-only]', { hasText: 'You only watch' }).waitFor(patience)
  await typeInto(page, 'echo nobody hears\n')
  await paste(page, 'echo nor this\n')
  const other = await open(shellOf(sessionId), { viewport: { width: 1400, height: 900 } })
  await typeInto(other.page, 'echo heard $((40+2))\n')
  await shows(page, 'heard 42')
  expect(await textOf(page)).not.toMatch(/nobody hears|nor this/)
  expect(await page.getByRole('dialog').count()).toBe(0)
  // Whoever only watches makes it no smaller for those who type.
  await page.locator('[data-size]', { hasText: 'larger than your screen' }).waitFor()
  expect(await other.page.locator('[data-size]').count()).toBe(0)
  expect(complaints).toEqual([])
})

it('says what to do where the page was loaded before that terminal was there', async () => {
  const sessionId = await begin('one')
  const { page } = await openPage(house.browser)
  const { url, token } = house.signalbox
  await page.route(`${url}/sessions/**`, async (route) => {
    const answer = await route.fetch()
    const headers = answer.headers()
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toMatch(/connect-src 'self' ws:/)
    headers['content-security-policy'] = policy.replace(/connect-src [^;]*/, "connect-src 'self'")
    await route.fulfill({ response: answer, headers })
  })
  await page.goto(`${url}${shellOf(sessionId)}#token=${token}`)
  const told = page.locator('[data-told=ended]', { hasText: 'loaded before that terminal' })
  await told.waitFor(patience)
  await page.unrouteAll()
  await told.getByRole('button', { name: 'Reload' }).click()
  await live(page)
})

it('says why a session could not be taken over, and leaves it as it was', async () => {
  const sessionId = await begin('one')
  const { page } = await open(`/sessions/${sessionId}?view=terminal`)
  await page.getByRole('button', { name: 'Take over' }).click()
  await house.signalbox.call('DELETE', `/sessions/${sessionId}`)
  await page.getByRole('dialog').getByRole('button', { name: 'Take over' }).click()
  await page
    .getByRole('alert')
    .getByText(/Not taken over. .*trash/)
    .waitFor()
  expect((await house.signalbox.call('GET', `/sessions/${sessionId}`)).body.data.takenOverAt).toBe(null)
})

it('lets no program change the title of the page or what is on the clipboard', async () => {
  const { page, complaints } = await open(shellOf(await begin('one')))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(`navigator.clipboard.writeText('mine')`)
  const title = await page.title()
  const sly = [
    '\\e]0;evil\\a',
    '\\e]2;evil\\e\\\\',
    '\\e]52;c;ZXZpbA==\\a',
    '\\ePtmux;\\e\\e]52;c;ZXZpbA==\\a\\e\\\\',
  ]
  await typeInto(page, `printf '${sly.join('')}'; echo writ''ten\n`)
  await shows(page, 'written')
  expect(await page.title()).toBe(title)
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('mine')
  expect(complaints).toEqual([])
})

it('is drawn by the page itself when WebGL is taken away, in its colours, and styles nothing that is forbidden', async () => {
  const { page, complaints } = await open(shellOf(await begin('one')), { colorScheme: 'dark' })
  await typeInto(page, `printf '\\e[38;2;250;120;40mtrue colour\\e[0m \\e[31mred\\e[0m\\n'\n`)
  await shows(page, '\ntrue colour red')
  await page.evaluate(`for (const canvas of document.querySelectorAll('.xterm canvas'))
    canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context').loseContext()`)
  const word = page.locator('.xterm-rows span', { hasText: 'true colour' }).last()
  await word.waitFor(patience)
  const colours = await page.evaluate<string[]>(`[...document.querySelectorAll('.xterm-rows span')]
    .filter((span) => /^(true colour|red)$/.test(span.textContent)).map((span) => getComputedStyle(span).color)`)
  expect(colours.slice(-2)).toEqual(['rgb(250, 120, 40)', 'rgb(244, 120, 125)'])
  expect(complaints).toEqual([])
})

it('is drawn to scale on a screen that the browser only plays', async () => {
  const phone = {
    viewport: { width: 390, height: 800 },
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
  }
  const { page, complaints } = await open(shellOf(await begin('one')), phone)
  await typeInto(page, 'echo to-$((1+1))-scale\n')
  await shows(page, '\nto-2-scale')
  const word = page.locator('.xterm-rows span', { hasText: 'to-2-scale' }).last()
  await word.waitFor(patience)
  const box = await word.boundingBox()
  expect(box?.height).toBeLessThan(22)
  expect(complaints).toEqual([])
})

it('copies what is selected, finds words, opens links without a way back, and lets the keyboard out', async () => {
  const { page, complaints } = await open(shellOf(await begin('one')))
  const { url } = house.signalbox
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await typeInto(page, `clear; echo ${url}/favicon.svg; echo needle\n`)
  await shows(page, /favicon.svg\nneedle/)
  const screen = page.locator('.xterm-screen')
  await screen.dblclick({ position: { x: 20, y: 28 } })
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('needle')

  await page.keyboard.press('Control+Shift+F')
  await page.keyboard.type('needle')
  await page.locator('search output', { hasText: /of 1|1 found/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('search').waitFor({ state: 'detached' })

  const opening = page.context().waitForEvent('page')
  await screen.hover({ position: { x: 40, y: 10 } })
  await screen.click({ position: { x: 42, y: 10 } })
  const opened = await opening
  expect(opened.url()).toBe(`${url}/favicon.svg`)
  expect(await opened.evaluate('window.opener')).toBe(null)

  await page.locator('.xterm-helper-textarea').focus()
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.className')).toContain('xterm')
  await page.keyboard.press('Control+Shift+Enter')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Agent')
  expect(complaints).toEqual([])
})

it('has the keys that a touch screen has not', async () => {
  const { page, complaints } = await open(shellOf(await begin('one')), {
    viewport: { width: 390, height: 800 },
    hasTouch: true,
    isMobile: true,
  })
  await typeInto(page, 'sleep 1000\n')
  await shows(page, 'sleep 1000')
  const keys = page.getByRole('toolbar', { name: 'Keys' })
  await keys.getByRole('button', { name: 'Control' }).tap()
  await page.keyboard.type('c')
  await typeInto(page, 'echo $((40+2))\n')
  await shows(page, '\n42\n')
  await keys.getByRole('button', { name: 'Up' }).tap()
  await keys.getByRole('button', { name: '|' }).tap()
  await shows(page, /echo \$\(\(40\+2\)\)\|$/)
  expect(complaints).toEqual([])
})

it('opens a shell in a workspace that no session is in', async () => {
  const { page, complaints } = await openPage(house.browser)
  await page.addInitScript(`localStorage.setItem('signalbox.terminal.screenReader', 'true')`)
  const root = join(house.signalbox.work, 'by-itself')
  mkdirSync(root)
  const made = await house.signalbox.call('POST', '/workspaces', {
    driver: 'folder',
    root,
    name: 'By itself',
  })
  await house.signalbox.call('POST', `/workspaces/${made.body.data.id}/prepare`)
  await page.goto(`${house.signalbox.url}/workspaces#token=${house.signalbox.token}`)
  await page.getByRole('link', { name: 'Open a shell in By itself' }).click(patience)
  await live(page)
  await typeInto(page, 'pwd\n')
  await shows(page, `\n${root}`)
  await typeInto(page, 'exit\n')
  await page.locator('[data-told=ended]').getByRole('button', { name: 'Open again' }).click(patience)
  await live(page)
  await typeInto(page, 'echo again $((40+2))\n')
  await shows(page, 'again 42')
  expect(complaints).toEqual([])
})

it('is not fetched before anybody looks at one', async () => {
  const { page } = await openBoard(house, '/sessions')
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const fetched = (name: string) => requests.filter((url) => url.includes(name)).length
  await page.reload()
  await expect.poll(() => fetched('/settings-page-'), patience).toBeGreaterThan(0)
  expect(fetched('/terminal-pane-')).toBe(0)
  await page.goto(`${house.signalbox.url}${shellOf(await begin('one'))}`)
  await live(page)
  expect(fetched('/terminal-pane-')).toBeGreaterThan(0)
})

it('is not shown to anybody but the owner', async () => {
  const scopes = ['run', 'board', 'approve']
  const { token } = (await house.signalbox.call('POST', '/users', { name: 'somebody', scopes })).body.data
  const headers = { authorization: `Bearer ${token}` }
  const agents = (await house.signalbox.call('GET', '/agents', undefined, headers)).body.data
  const agent = agents.find(({ adapter }: { adapter: string }) => adapter === 'claude')
  const { body } = await house.signalbox.call('POST', '/sessions', { agentId: agent.id }, headers)
  const { page } = await openPage(house.browser)
  onTestFinished(() => page.close())
  await page.goto(`${house.signalbox.url}/sessions/${body.data.id}?view=terminal#token=${token}`)
  await page.getByRole('textbox', { name: /^Message to/ }).waitFor(patience)
  expect(await page.getByRole('link', { name: 'Terminal' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Take over' }).count()).toBe(0)
  expect(await page.locator('[data-terminal]').count()).toBe(0)
})
