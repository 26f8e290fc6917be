import { appendFile, chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { elfLinkedTo } from '../../test/support/discovery/made-elf.ts'
import { makeMachine } from '../../test/support/discovery/made-machine.ts'
import { toolFacts } from '../../test/support/discovery/tool-facts.ts'
import { readFileStart } from './file-start.ts'
import { openLook } from './look.ts'
import { openDiscovery } from './open.ts'
import { placesUnder } from './places.ts'

test('a program comes with whose it is, what it is and what it says of itself', async () => {
  await using machine = await makeMachine()
  await machine.install('sshd', toolFacts['sshd'])
  await machine.install('codex', toolFacts['codex'])
  await machine.put('var/lib/dpkg/info/openssh-server.list', '/usr/sbin/sshd\n')
  const discovery = openDiscovery({ root: machine.root, home: machine.home })
  const { programs } = await discovery.look(machine.folders, {})
  expect(programs).toEqual([
    expect.objectContaining({
      path: join(machine.root, 'usr/sbin/sshd'),
      name: 'sshd',
      package: 'openssh-server',
      packageSource: 'dpkg',
      description: 'OpenSSH daemon',
      class: 'daemon',
      preset: null,
    }),
    expect.objectContaining({
      name: 'codex',
      realPath: join(machine.root, 'usr/lib/node_modules/@openai/codex/bin/codex.js'),
      package: '@openai/codex',
      version: '1.2.3',
      class: 'agent',
      preset: 'codex',
    }),
  ])
  await discovery.close()
})

test('a link is as dangerous as what it leads to', async () => {
  await using machine = await makeMachine()
  await machine.link('usr/bin/tidy', await machine.putProgram('usr/bin/rm'))
  const discovery = openDiscovery({ root: machine.root, home: machine.home })
  const { programs } = await discovery.look(machine.folders, {})
  expect(programs.map(({ name, danger }) => [name, danger]).toSorted()).toEqual([
    ['rm', 3],
    ['tidy', 3],
  ])
  await discovery.close()
})

test('the next look sees what has changed: files, links, pages and units', async () => {
  await using machine = await makeMachine()
  const discovery = openDiscovery({ root: machine.root, home: machine.home })
  const look = async () => {
    const { programs } = await discovery.look(machine.folders, {})
    return Object.fromEntries(programs.map((program) => [program.name, [program.class, program.description]]))
  }
  const path = await machine.putProgram('usr/bin/frob')
  await machine.putProgram('usr/bin/leaving')
  expect(await look()).toEqual({ frob: ['tool', null], leaving: ['tool', null] })
  await machine.putProgram('usr/bin/frob', elfLinkedTo(['libncursesw.so.6']))
  await rm(join(machine.root, 'usr/bin/leaving'))
  expect(await look()).toEqual({ frob: ['tui', null] })
  await machine.install('frob', { manual: ['8', 'frobnication daemon'], unit: ['notify', '/usr/bin/frob'] })
  expect(await look()).toEqual({ frob: ['daemon', 'frobnication daemon'] })
  await chmod(path, 0o644)
  expect(await look()).toEqual({})
  await discovery.close()
})

test('what has not changed is not read again', async () => {
  await using machine = await makeMachine()
  const path = await machine.putProgram('usr/bin/frob')
  await machine.putProgram('usr/bin/other')
  const read: string[] = []
  const look = openLook(placesUnder(machine.root, machine.home), (file) => {
    read.push(file)
    return readFileStart(file)
  })
  await look(machine.folders, {})
  expect(read).toHaveLength(2)
  await look(machine.folders, {})
  expect(read).toHaveLength(2)
  await appendFile(path, 'more')
  await look(machine.folders, {})
  expect(read.slice(2)).toEqual([path])
})

test('tells how far it is, and stops when it is told to', async () => {
  await using machine = await makeMachine()
  await machine.install('git', toolFacts['git'])
  const discovery = openDiscovery({ root: machine.root, home: machine.home })
  const told: string[] = []
  await discovery.look(machine.folders, {
    onProgress: (stage, done, total) => void told.push(`${stage} ${done}/${total}`),
  })
  expect(told).toEqual(['scan 0/2', 'scan 1/2', 'scan 2/2', 'identify 0/1', 'identify 1/1', 'classify 1/1'])
  const stop = new AbortController()
  const stopped = discovery.look(machine.folders, {
    signal: stop.signal,
    onProgress: (stage) => stage === 'identify' && stop.abort(),
  })
  await expect(stopped).rejects.toThrow('aborted')
  await discovery.close()
})
