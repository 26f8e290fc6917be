import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBoard, openHouse, openPage } from './browser.ts'
import { agentOf, patience } from './found-programs.ts'
import { openForm, option, outputOf, previewOf, runIn } from './running.ts'

const bin = mkdtempSync(join(tmpdir(), 'signalbox-bin-'))
afterAll(() => rmSync(bin, { recursive: true, force: true }))
const says = join(bin, 'says')
writeFileSync(says, `#!/bin/sh\npwd\nprintf '<%s>' "$@"\necho\n`)
chmodSync(says, 0o755)

const house = openHouse(undefined, { PATH: `${bin}:/usr/bin:/bin` })
const flag = (name: string, more: object = {}) => ({ type: 'string', 'x-flag': name, ...more })
const argsSchema = {
  type: 'object',
  required: ['what'],
  properties: {
    loud: { type: 'boolean', 'x-flag': '--loud', description: 'Says it louder' },
    message: flag('--message'),
    format: flag('--format', { enum: ['long', 'short'], 'x-joined': true }),
    times: { type: 'integer', 'x-flag': '--times', 'x-joined': true },
    config: { type: 'array', items: { type: 'string' }, 'x-flag': '-c' },
    author: flag('--author'),
    what: { type: 'string', description: 'What to say' },
    files: { type: 'array', items: { type: 'string' }, title: 'Files' },
  },
}
const spread = ['loud', 'message', 'format', 'times', 'config', 'author'].map((name) => `{{${name}...}}`)
const commandTokens = ['says', ...spread, '{{what}}', '{{files...}}']

const strictSchema = {
  type: 'object',
  required: ['branch', 'times'],
  properties: {
    branch: { type: 'string', pattern: '^[a-z]+$' },
    times: { type: 'integer', minimum: 1, maximum: 9 },
    files: { type: 'array', title: 'Files', items: { type: 'string', pattern: '^[a-z.]+$' } },
    places: {
      type: 'array',
      items: {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string' }, line: { type: 'integer', minimum: 1 } },
      },
    },
    target: {
      oneOf: [
        { type: 'string', title: 'A name' },
        {
          type: 'object',
          title: 'A machine',
          required: ['host'],
          properties: { host: { type: 'string' }, port: { type: 'integer' } },
        },
      ],
    },
  },
}
let strictId = ''

beforeAll(async () => {
  const { body } = await house.signalbox.call('POST', '/agents', {
    name: 'says',
    binaryPath: says,
    kind: 'tool',
  })
  const add = (key: string, more: object) =>
    house.signalbox.call('POST', `/agents/${body.data.id}/capabilities`, {
      key,
      interactionMode: 'template',
      commandTokens,
      argsSchema,
      ...more,
    })
  await add('aloud', {})
  await add('harm', { dangerLevel: 3, commandTokens: ['says', 'harm'], argsSchema: { type: 'object' } })
  await add('careful', { dangerLevel: 1, commandTokens: ['says', 'careful'], argsSchema: { type: 'object' } })
  await add('risk', {
    dangerLevel: 2,
    commandTokens: ['says', 'risk', '{{what}}'],
    argsSchema: { type: 'object', required: ['what'], properties: { what: { type: 'string' } } },
  })
  const strict = await add('strict', {
    commandTokens: ['says', '{{branch}}', '{{times}}', '{{files...}}'],
    argsSchema: strictSchema,
  })
  strictId = strict.body.data.id
  await add('words', { commandTokens: ['says', 'so', '{{prompt}}'], argsSchema: { type: 'object' } })
})

it('makes a form of what a command takes, shows the command line, and runs just that', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'aloud')
  expect(await previewOf(form)).toBe('says ‹what›')
  expect(await form.locator('button[type=submit]').isDisabled()).toBe(true)
  await form.getByRole('textbox', { name: 'what' }).fill(`it's $HOME`)
  await form.getByRole('textbox', { name: 'Files' }).fill('a b\nc')
  await (await option(form, '--loud')).check()
  await (await option(form, '--message')).fill('two\twords')
  await (await option(form, '--format')).selectOption('short')
  await (await option(form, '--times')).fill('3')
  await (await option(form, '-c')).fill('x=1\ny=2')
  expect(await previewOf(form)).toBe(
    String.raw`says --loud --message 'two	words' --format=short --times=3 -c x=1 -c y=2 'it'\''s $HOME' 'a b' c`,
  )
  await runIn(page, form, house.signalbox.work)
  expect(await outputOf(page)).toBe(
    `${realpathSync(house.signalbox.work)}\n<--loud><--message><two\twords><--format=short><--times=3><-c><x=1><-c><y=2><it's $HOME><a b><c>`,
  )
  expect(complaints).toEqual([])
})

it('keeps what was filled in, and says at its field what was refused', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'aloud')
  await form.getByRole('textbox', { name: 'what' }).fill('hello')
  await (await option(form, '--author')).fill('-rf')
  await form.getByRole('button', { name: /^More options/ }).click()
  await form.locator('button[type=submit]').click()
  await form.locator('[data-option=author]').getByText('begins with "-"').waitFor(patience)
  expect(await form.getByRole('textbox', { name: 'what' }).inputValue()).toBe('hello')
  // Another command and back again.
  await form.locator('[data-capability]').click()
  await page.locator('[data-capability-choice=words]').click()
  await page.getByRole('textbox', { name: 'Prompt' }).fill('a few words')
  await page.locator('[data-capability]').click()
  await page.locator('[data-capability-choice=aloud]').click()
  expect(await form.getByRole('textbox', { name: 'what' }).inputValue()).toBe('hello')
  await page.locator('[data-capability]').click()
  await page.locator('[data-capability-choice=words]').click()
  expect(await previewOf(page.locator('[data-run=words]'))).toBe(`says so 'a few words'`)
  await page.keyboard.press('Control+Enter')
  expect(await outputOf(page)).toContain('<so><a few words>')
  expect(complaints).toEqual([])
})

it('marks in yellow what wants caution, and asks nobody about it', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'careful')
  const mark = form.locator('[data-danger="1"]')
  await mark.getByText('Caution').waitFor()
  const [red = 0, green = 0, blue = 0] = await mark.evaluate((it) =>
    (getComputedStyle(it).color.match(/[\d.]+/g) ?? []).map(Number),
  )
  expect([red > 2 * blue, green > 2 * blue, Math.abs(red - green) < 0.2 * red]).toEqual([true, true, true])
  await form.locator('button[type=submit]').click()
  expect(await outputOf(page)).toContain('<careful>')
  expect(complaints).toEqual([])
})

it('asks before something dangerous, and does nothing when somebody thinks better of it', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'risk')
  await form.getByRole('textbox', { name: 'what' }).fill(`it's all`)
  await form.getByRole('button', { name: /^Run…/ }).click()
  const dialog = page.getByRole('dialog', { name: 'This is dangerous' })
  await dialog.getByText(String.raw`says risk 'it'\''s all'`).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  // The form is as it was, and the keyboard is in it.
  expect(await form.getByRole('textbox', { name: 'what' }).inputValue()).toBe(`it's all`)
  expect(await page.evaluate(() => document.activeElement?.closest('[data-run]') !== null)).toBe(true)
  const { body } = await house.signalbox.call('GET', '/executions')
  const before = body.meta.total
  await page.keyboard.press('Control+Enter')
  await dialog.getByRole('button', { name: 'Run it now' }).click()
  expect(await outputOf(page)).toContain(`<risk><it's all>`)
  expect((await house.signalbox.call('GET', '/executions')).body.meta.total).toBe(before + 1)
  expect(complaints).toEqual([])
})

/** Goes as far as the window that asks whether one is sure. */
async function askToRun(page: Page, form: Locator): Promise<Locator> {
  await form.getByRole('button', { name: /^Run…/ }).click()
  const dialog = page.getByRole('dialog', { name: 'This is destructive' })
  await dialog.getByRole('alert').getByText('It can destroy what you cannot get back').waitFor()
  return dialog
}

it('lets what is dangerous wait for a yes in the inbox', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'harm')
  await form.locator('[data-danger="3"]').waitFor()
  const dialog = await askToRun(page, form)
  await dialog.getByRole('button', { name: 'Ask for a yes' }).click()
  await page.locator('[data-status=queued]').waitFor(patience)
  const session = page.url()
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await page.getByText('Destructive').first().waitFor(patience)
  await page.getByRole('button', { name: 'Allow', exact: false }).first().click()
  await page.goto(session)
  expect(await outputOf(page)).toContain('<harm>')
  expect(complaints).toEqual([])
})

it('begins what is destructive at once only for somebody who writes its name', async () => {
  const { page } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'harm')
  const dialog = await askToRun(page, form)
  const go = dialog.getByRole('button', { name: 'Run it now' })
  const name = dialog.getByRole('textbox', { name: 'Write “harm” to go on' })
  for (const wrong of ['', 'har', 'Harm', 'harmless']) {
    await name.fill(wrong)
    expect(await go.isDisabled()).toBe(true)
    await page.keyboard.press('Enter')
  }
  expect(await dialog.isVisible()).toBe(true)
  await name.fill('harm')
  await page.keyboard.press('Enter')
  expect(await outputOf(page)).toContain('<harm>')
})

it('checks what is filled in as one types, in the words of the server', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'strict')
  const submit = form.locator('button[type=submit]')
  expect(await form.getByRole('alert').count()).toBe(0)
  const told = (path: string) => form.locator(`[data-field="${path}"] > [role=alert]`)
  await form.getByRole('textbox', { name: 'branch' }).fill('Main!')
  await form.getByRole('spinbutton', { name: 'times' }).fill('12')
  await form.getByRole('textbox', { name: 'Files' }).fill('a.ts\nB.TS')
  await form.getByRole('button', { name: 'Add an entry' }).click()
  await form.getByRole('spinbutton', { name: 'line' }).fill('0')
  await form.getByRole('combobox', { name: 'What kind of target' }).selectOption('A machine')
  await form.getByRole('spinbutton', { name: 'port' }).fill('80')
  expect(await submit.isDisabled()).toBe(true)
  const args = {
    branch: 'Main!',
    times: 12,
    files: ['a.ts', 'B.TS'],
    places: [{ line: 0 }],
    target: { port: 80 },
  }
  const { body } = await house.signalbox.call('POST', '/executions', { capabilityId: strictId, args })
  const refused: { field: string; reason: string }[] = body.error.context.fields
  const reasonOf = (field: string) => refused.find((one) => one.field === `args.${field}`)?.reason
  expect(await told('branch').innerText()).toBe(reasonOf('branch'))
  expect(await told('times').innerText()).toBe(reasonOf('times'))
  expect(await told('files').innerText()).toBe(`Entry 2: ${reasonOf('files.1')}`)
  expect(await told('file').innerText()).toBe(reasonOf('places.0.file'))
  expect(await told('line').innerText()).toBe(reasonOf('places.0.line'))
  expect(await told('target').innerText()).toBe('must match exactly one schema in oneOf')
  await form.getByRole('textbox', { name: 'branch' }).fill('main')
  await form.getByRole('spinbutton', { name: 'times' }).fill('2')
  await form.getByRole('textbox', { name: 'Files' }).fill('a.ts')
  await form.getByRole('textbox', { name: 'file needed' }).fill('x')
  await form.getByRole('spinbutton', { name: 'line' }).fill('3')
  await form.getByRole('textbox', { name: 'host' }).fill('example.com')
  expect(await form.getByRole('alert').count()).toBe(0)
  await submit.click()
  expect(await outputOf(page)).toContain('<main><2><a.ts>')
  const { body: asked } = await house.signalbox.call('GET', '/executions?pageSize=1')
  expect(asked.data[0].args).toEqual({
    branch: 'main',
    times: 2,
    files: ['a.ts'],
    places: [{ file: 'x', line: 3 }],
    target: { host: 'example.com', port: 80 },
  })
  expect(complaints).toEqual([])
})

it('is filled in on a phone', async () => {
  const { page, complaints } = await openPage(house.browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  await page.goto(`${house.signalbox.url}/agents#token=${house.signalbox.token}`)
  const form = await openForm(page, 'says', 'harm')
  const dialog = await askToRun(page, form)
  const box = await dialog.boundingBox()
  expect([box!.x >= 0, box!.x + box!.width <= 390, box!.y + box!.height <= 844]).toEqual([true, true, true])
  await dialog.getByRole('textbox').fill('harm')
  await dialog.getByRole('button', { name: 'Run it now' }).tap()
  expect(await outputOf(page)).toContain('<harm>')
  expect(complaints).toEqual([])
})

it('says why a folder cannot be used, and can be tried again', async () => {
  const { page } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'careful')
  await runIn(page, form, '/nowhere/at/all')
  await form.getByRole('alert').getByText('Not started.').waitFor(patience)
  await form.getByRole('textbox', { name: 'Folder', exact: true }).fill(house.signalbox.work)
  await form.locator('button[type=submit]').click()
  expect(await outputOf(page)).toContain('<careful>')
  expect(await agentOf(page, 'says').count()).toBe(0)
})
