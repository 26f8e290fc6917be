import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { onPath } from '#lib/on-path.ts'
import { makeRepository } from '../support/repository.ts'
import { quietWav } from '../support/discovery/quiet-wav.ts'
import { openBoard } from './browser.ts'
import { confirmAll, openFound, patience } from './found-programs.ts'
import { given, named, openForm, option, outputOf, previewOf, run, runIn, yes } from './running.ts'
import type { Fill } from './running.ts'

const path = '/usr/local/bin:/usr/bin:/bin'
/** The real programs of this machine. Instead of one that is not here, one of its name says what it was started with. */
const programs = ['git', 'tar', 'rm', 'npm', 'docker', 'kubectl', 'ffmpeg']
const missing = new Set(programs.filter((name) => onPath(name, path) === undefined))
const { house } = openFound([...missing], { path })

let work: string
beforeAll(() => {
  work = makeRepository(join(house.signalbox.work, 'repository'), { 'read me.txt': 'hello' })
  writeFileSync(join(work, 'new.txt'), 'new')
  writeFileSync(join(work, 'in put.wav'), quietWav())
  // Nothing here is to ask anybody on the network.
  writeFileSync(join(work, '.npmrc'), 'offline=true\naudit=false\nfund=false\nupdate-notifier=false\n')
  writeFileSync(
    join(work, 'package.json'),
    JSON.stringify({ name: 'whole', scripts: { greet: 'echo greeted' } }),
  )
  mkdirSync(join(work, 'part'))
  writeFileSync(join(work, 'part/package.json'), JSON.stringify({ name: 'a-part', version: '1.2.3' }))
})

it('makes agents of what was found, when somebody says so', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await confirmAll(page, programs)
  expect(complaints).toEqual([])
})

interface Run {
  program: string
  command: string
  fills: Fill[]
  line: string
  /** What the real one writes. */
  written: string
  /** A file that it makes, and how that begins. */
  makes?: [string, string]
}

const runs: Run[] = [
  {
    program: 'git',
    command: 'run',
    fills: [yes('--version')],
    line: 'git --version',
    written: 'git version ',
  },
  {
    program: 'git',
    command: 'status',
    fills: [yes('--short')],
    line: 'git status --short',
    written: '?? new.txt',
  },
  { program: 'git', command: 'log', fills: [yes('--oneline')], line: 'git log --oneline', written: ' Begin' },
  {
    program: 'tar',
    command: 'create',
    fills: [named('Archive', 'all of it.tar'), named('Files', 'read me.txt\nnew.txt'), yes('--verbose')],
    line: `tar --create --verbose '--file=all of it.tar' -- 'read me.txt' new.txt`,
    written: 'read me.txt\nnew.txt',
    makes: ['all of it.tar', 'read me.txt'],
  },
  {
    program: 'tar',
    command: 'list',
    fills: [named('Archive', 'all of it.tar')],
    line: `tar --list '--file=all of it.tar' --`,
    written: 'read me.txt',
  },
  {
    program: 'npm',
    command: 'run',
    fills: [named('script', 'greet'), named('args', '--twice')],
    line: 'npm run greet -- --twice',
    written: 'greeted --twice',
  },
  {
    program: 'npm',
    command: 'install',
    fills: [named('package', './part'), yes('--save-dev')],
    line: 'npm install --save-dev ./part',
    written: 'added 1 package',
    makes: ['node_modules/a-part/package.json', '{"name":"a-part"'],
  },
  {
    program: 'docker',
    command: 'itself',
    fills: [yes('--version')],
    line: 'docker --version',
    written: 'Docker version ',
  },
  {
    program: 'docker',
    command: 'context.list',
    fills: [yes('--quiet')],
    line: 'docker context list --quiet',
    written: 'default',
  },
  {
    program: 'kubectl',
    command: 'version',
    fills: [yes('--client')],
    line: 'kubectl version --client',
    written: 'Client Version',
  },
  {
    program: 'ffmpeg',
    command: 'convert',
    fills: [named('Input', 'in put.wav'), named('Output', 'out.flac'), given('-c:a', 'flac')],
    line: `ffmpeg -hide_banner -nostdin -i 'in put.wav' -c:a flac out.flac`,
    written: 'Output #0, flac',
    makes: ['out.flac', 'fLaC'],
  },
]

for (const { program, command, fills, line, written, makes } of runs) {
  const isHere = !missing.has(program)
  const who = isHere ? program : `a stand-in for ${program}, which is not on this machine,`
  it(`runs ${who} (${command}) from a form`, async () => {
    const { page, complaints } = await openBoard(house, '/agents')
    expect(await run(page, { program, command, fills, line, work })).toContain(isHere ? written : program)
    const [file, begins] = (isHere && makes) || ['new.txt', 'new']
    expect(readFileSync(join(work, file), 'latin1').slice(0, 100)).toContain(begins)
    expect(complaints).toEqual([])
  })
}

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
