import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { commandWords } from '../../web/features/tool/command-words.ts'
import { openBoard } from './browser.ts'
import { confirmAll, openFound } from './found-programs.ts'
import { given, named, run, yes } from './running.ts'
import type { Fill } from './running.ts'

// What programs get word by word, by programs of their names that say what they were started with. The real ones are run elsewhere.
const programs = ['docker', 'npm', 'kubectl', 'ffmpeg']
const { house } = openFound(programs)

let work: string
beforeAll(() => {
  work = join(house.signalbox.work, 'folder')
  mkdirSync(work)
})

it('makes agents of them', async () => {
  const { page, complaints } = await openBoard(house, '/agents')
  await confirmAll(page, programs)
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
  expect(await run(page, { program, command, fills, line, work })).toBe(
    [program, ...words.map((word) => `<${word}>`)].join(' '),
  )
  expect(complaints).toEqual([])
})
