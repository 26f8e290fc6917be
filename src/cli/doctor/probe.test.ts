import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { identify } from '#lib/process-identity.ts'
import type { DriverOnMachine } from '#contract/workspace.ts'
import { boundaryProbes } from './boundaries.ts'
import { lookAtNode, machineProbes } from './machine.ts'
import type { Machine } from './machine.ts'
import { examine } from './probe.ts'
import type { Finding, Probe } from './probe.ts'
import { agentProbes, programProbes } from './programs.ts'
import { isHealthy, writeReport } from './report.ts'

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'signalbox-doctor-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A real program on a PATH of its own. */
function install(name: string, script: string) {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
}
const env = () => ({ PATH: folder })
const probe = (name: string, look: Probe['look'], required = true): Probe => ({
  name,
  purpose: 'p',
  required,
  look,
})
const fine: Finding = { verdict: 'ok', found: 'here' }

it('lets no probe hang or crash another', async () => {
  const results = await examine(
    [
      probe('hangs', () => new Promise(() => undefined)),
      probe('throws', () => {
        throw new Error('at once')
      }),
      probe('rejects', () => Promise.reject(new Error('later')), false),
      probe('works', async () => fine),
    ],
    50,
  )
  expect(results.map(({ name, verdict, found }) => [name, verdict, found])).toEqual([
    ['hangs', 'missing', 'no answer within 0.05 s'],
    ['throws', 'missing', 'at once'],
    ['rejects', 'attention', 'later'],
    ['works', 'ok', 'here'],
  ])
})

it('finds programs and their versions', async () => {
  install('git', 'echo git version 2.47.1')
  install('tmux', 'echo tmux 3.5a')
  install('rg', 'echo broken >&2; exit 3')
  install('claude', `printf '2.0.14 (Claude Code)\\n\\033]0;evil\\007'`)
  const found = await examine([...programProbes(env()), ...agentProbes(env())])
  expect(found.map(({ name, verdict, found: what }) => [name, verdict, what])).toEqual([
    ['git', 'ok', '2.47.1'],
    ['tmux', 'ok', '3.5a'],
    ['ripgrep', 'optional', expect.stringContaining('does not run: broken')],
    ['Claude Code', 'ok', '2.0.14'],
    ['Codex', 'optional', 'not found'],
    ['Gemini CLI', 'optional', 'not found'],
    ['opencode', 'optional', 'not found'],
  ])
  for (const { purpose } of found) expect(purpose).not.toBe('')
  for (const { advice } of found.filter(({ verdict }) => verdict !== 'ok')) expect(advice).toMatch(/install/)
})

it('ends a program that does not answer, and its children', async () => {
  install('git', `/bin/sleep 60 & echo $! > ${folder}/child; wait`)
  const [git] = await examine(
    programProbes(env()).filter(({ name }) => name === 'git'),
    1000,
  )
  expect(git).toMatchObject({ verdict: 'optional', found: 'no answer within 1 s' })
  const child = Number(readFileSync(join(folder, 'child'), 'utf8'))
  await expect.poll(() => identify(child)).toBeUndefined()
})

it('does not wait for what a program leaves behind', async () => {
  install('git', '/bin/sleep 60 & echo git version 2.47.1')
  const [git] = await examine(programProbes(env()).filter(({ name }) => name === 'git'))
  expect(git).toMatchObject({ verdict: 'ok', found: '2.47.1' })
})

it('tells a client from an engine, and an installed sandbox from one that works', async () => {
  const silent = { driver: 'docker' as const, works: false, reason: 'start it', lacks: [], version: null }
  const look = async (docker: DriverOnMachine = silent) =>
    (await examine(boundaryProbes(env(), () => Promise.resolve(docker)))).map(
      ({ verdict, found, advice }) => [verdict, found, advice],
    )
  expect((await look()).map(([verdict]) => verdict)).toEqual(['optional', 'optional'])
  install('docker', 'exit 1')
  install(
    'bwrap',
    `[ "$1" = --version ] && echo bubblewrap 0.11.0 || { echo 'No permissions to create new namespace' >&2; exit 1; }`,
  )
  expect(await look()).toEqual([
    ['attention', 'no engine to work with', 'start it'],
    [
      'attention',
      '0.11.0 is refused here: No permissions to create new namespace',
      expect.stringContaining('namespaces'),
    ],
  ])
  install('bwrap', '[ "$1" = --version ] && echo bubblewrap 0.11.0; exit 0')
  const engine = { ...silent, works: true, reason: null, version: '27.1.1' }
  expect(await look(engine)).toEqual([
    ['ok', 'engine 27.1.1', undefined],
    ['ok', '0.11.0', undefined],
  ])
  expect((await look({ ...engine, lacks: [{ what: 'cpu limit', why: 'no cgroups' }] }))[0]).toEqual([
    'attention',
    'engine 27.1.1, without cpu limit',
    'cpu limit: no cgroups',
  ])
})

it('looks at the machine', async () => {
  const look = (changes: Partial<Machine>) =>
    examine(
      machineProbes({
        home: folder,
        host: '127.0.0.1',
        port: 0,
        terminalPort: 0,
        minFreeDiskBytes: 1,
        running: undefined,
        ...changes,
      }),
    )
  const verdicts = async (changes: Partial<Machine>) =>
    Object.fromEntries((await look(changes)).map(({ name, verdict }) => [name, verdict]))
  expect(await verdicts({})).toEqual({
    Node: 'ok',
    Home: 'ok',
    Disk: 'ok',
    Port: 'ok',
    'Terminal port': 'ok',
  })
  expect(await verdicts({ home: join(folder, 'not/yet') })).toMatchObject({ Home: 'ok', Disk: 'ok' })
  expect(await verdicts({ home: '/proc/nobody' })).toMatchObject({ Home: 'missing' })
  chmodSync(folder, 0o777)
  expect(await verdicts({})).toMatchObject({ Home: 'missing' })
  expect(await verdicts({ minFreeDiskBytes: 2 ** 60 })).toMatchObject({ Disk: 'attention' })

  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const address = taken.address()
  const port = typeof address === 'object' && address ? address.port : 0
  expect(await verdicts({ port })).toMatchObject({ Port: 'missing' })
  expect(await verdicts({ terminalPort: port })).toMatchObject({ 'Terminal port': 'missing' })
  expect(await verdicts({ port, running: `http://127.0.0.1:${port}` })).toMatchObject({ Port: 'ok' })
  expect(await verdicts({ host: '203.0.113.1' })).toMatchObject({ Port: 'missing' })
})

it('asks for a Node that runs TypeScript', () => {
  expect(['24.12.0', '24.21.0', '26.0.0'].map((version) => lookAtNode(version).verdict)).toEqual([
    'ok',
    'ok',
    'ok',
  ])
  expect(['20.19.0', '24.11.9'].map((version) => lookAtNode(version).verdict)).toEqual(['missing', 'missing'])
})

it('reports with marks and words, and what to do', async () => {
  const results = await examine([
    probe('one', async () => fine),
    probe('another', async () => ({ verdict: 'missing', found: 'no\u001b[2J', advice: 'get it' })),
    probe('a third', async () => ({ verdict: 'missing', found: 'not found', advice: 'get that' }), false),
  ])
  let text = ''
  writeReport({ write: (more) => void (text += more), width: 80, paint: (_, more) => more }, [
    { title: 'All', results },
  ])
  expect(text.split('\n')).toEqual([
    'All',
    '  ✓ ok       one      p  here',
    '  ✗ missing  another  p  no\\u001b[2J',
    '             → get it',
    '  ! optional a third  p  not found',
    '             → get that',
    '',
    '✗ 1 required thing is missing.',
    '',
  ])
  expect(isHealthy([{ title: 'All', results }])).toBe(false)
  expect(isHealthy([{ title: 'All', results: results.filter(({ required }) => !required) }])).toBe(true)
})
