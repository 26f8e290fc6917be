import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBoard, openHouse } from './browser.ts'
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

it('lets what is dangerous wait for a yes in the inbox', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'harm')
  await form.locator('[data-danger="3"]').waitFor()
  await form.getByRole('button', { name: 'Ask for a yes' }).click()
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

it('begins what is dangerous at once for somebody who has looked at it', async () => {
  const { page } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'harm')
  await form.getByRole('checkbox', { name: 'I have looked at it: begin at once' }).check()
  await form.getByRole('button', { name: 'Run', exact: false }).last().click()
  expect(await outputOf(page)).toContain('<harm>')
})

it('says why a folder cannot be used, and can be tried again', async () => {
  const { page } = await openBoard(house, '/agents')
  const form = await openForm(page, 'says', 'harm')
  await runIn(page, form, '/nowhere/at/all')
  await form.getByRole('alert').getByText('Not started.').waitFor(patience)
  await form.getByRole('textbox', { name: 'Folder', exact: true }).fill(house.signalbox.work)
  await form.getByRole('checkbox').check()
  await form.locator('button[type=submit]').click()
  expect(await outputOf(page)).toContain('<harm>')
  expect(await agentOf(page, 'says').count()).toBe(0)
})
