import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { commandWords } from '../../web/features/tool/command-words.ts'
import { makeRepository } from '../support/repository.ts'
import { openBoard } from './browser.ts'
import { agentOf, find, openFound, patience, rowOf, scan } from './found-programs.ts'
import { openForm, option, outputOf, previewOf, runIn } from './running.ts'

const standIns = ['docker', 'npm', 'kubectl', 'ffmpeg']
const programs = ['git', 'tar', 'rm', ...standIns]
const { house } = openFound(standIns)

let work: string
beforeAll(() => {
  work = makeRepository(join(house.signalbox.work, 'repository'), { 'read me.txt': 'hello' })
  writeFileSync(join(work, 'new.txt'), 'new')
})

it('makes agents of what was found, when somebody says so', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await scan(page)
  for (const name of programs) {
    await find(page, name)
    await rowOf(page, name).getByRole('checkbox').check()
  }
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByText('7 programs can be used now').waitFor({ timeout: 50_000 })
  for (const name of programs) await agentOf(page, name).waitFor(patience)
  expect(complaints).toEqual([])
})

type Fill = (form: Locator) => Promise<void>
const yes =
  (flag: string): Fill =>
  async (form) =>
    (await option(form, flag)).check()
const given =
  (flag: string, text: string): Fill =>
  async (form) =>
    (await option(form, flag)).fill(text)
const named =
  (name: string, text: string): Fill =>
  (form) =>
    form.getByRole('textbox', { name }).first().fill(text)

/** Fills in the form of a command, sees that its line is as it should be, and runs it. */
async function run(
  page: Page,
  program: string,
  command: string,
  fills: Fill[],
  line: string,
): Promise<string> {
  const form = await openForm(page, program, command)
  for (const fill of fills) await fill(form)
  expect(await previewOf(form)).toBe(line)
  await runIn(page, form, work)
  return outputOf(page)
}

it.each<[string, string, Fill[], string, string]>([
  ['git', 'run', [yes('--version')], 'git --version', 'git version '],
  ['git', 'status', [yes('--short')], 'git status --short', '?? new.txt'],
  ['git', 'log', [yes('--oneline')], 'git log --oneline', ' Begin'],
  [
    'tar',
    'create',
    [named('Archive', 'all of it.tar'), named('Files', 'read me.txt\nnew.txt'), yes('--verbose')],
    `tar --create --verbose '--file=all of it.tar' -- 'read me.txt' new.txt`,
    'read me.txt\nnew.txt',
  ],
  ['tar', 'list', [named('Archive', 'all of it.tar')], `tar --list '--file=all of it.tar' --`, 'read me.txt'],
])('runs %s (%s) from a form', async (program, command, fills, line, written) => {
  const { page, complaints } = await openBoard(house, '/agents')
  expect(await run(page, program, command, fills, line)).toContain(written)
  expect(complaints).toEqual([])
})

it.each<[string, string, Fill[], string]>([
  [
    'docker',
    'run',
    [named('image', 'debian:12'), named('command', 'echo\ntwo words'), yes('--rm'), given('--name', 'a box')],
    `docker run '--name=a box' --rm -- debian:12 echo 'two words'`,
  ],
  ['docker', 'ps', [yes('--all')], 'docker ps --all'],
  ['npm', 'install', [named('package', 'a\nb@1'), yes('--save-dev')], 'npm install --save-dev a b@1'],
  ['npm', 'run', [named('script', 'build'), named('args', '--watch')], 'npm run build -- --watch'],
  ['kubectl', 'get', [named('TYPE', 'pods'), yes('--all-namespaces')], 'kubectl get --all-namespaces pods'],
  [
    'ffmpeg',
    'convert',
    [named('Input', 'in put.mov'), named('Output', 'out.mp4'), given('-c:v', 'libx264')],
    `ffmpeg -hide_banner -nostdin -i 'in put.mov' -c:v libx264 out.mp4`,
  ],
])('starts %s (%s) with just what the form shows', async (program, command, fills, line) => {
  const { page, complaints } = await openBoard(house, '/agents')
  const [, ...words] = commandWords(line)
  expect(await run(page, program, command, fills, line)).toBe(
    [program, ...words.map((word) => `<${word}>`)].join(' '),
  )
  expect(complaints).toEqual([])
})

it('lets rm wait until somebody has said yes in the inbox', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  const form = await openForm(page, 'rm')
  await form.getByRole('textbox').first().fill('new.txt')
  await (await option(form, '-v')).check()
  expect(await previewOf(form)).toBe('rm -v -- new.txt')
  await runIn(page, form, work)
  await page.locator('[data-status=queued]').waitFor(patience)
  const session = page.url()
  expect(existsSync(join(work, 'new.txt'))).toBe(true)
  await page.goto(`${house.signalbox.url}/inbox`)
  await page.getByText('new.txt').first().waitFor(patience)
  await page.getByRole('button', { name: 'Allow', exact: false }).first().click()
  await page.goto(session)
  expect(await outputOf(page)).toContain('new.txt')
  expect(existsSync(join(work, 'new.txt'))).toBe(false)
  expect(complaints).toEqual([])
})
