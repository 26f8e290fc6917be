import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { seen } from '../../test/support/discovery/odd-programs.ts'
import { LookerLost } from '#discovery/port.ts'
import { openDiscoveryApart } from './discovery-apart.ts'

const env = {
  PATH: process.env['PATH'],
  HOME: tmpdir(),
  ANTHROPIC_API_KEY: 'sk-secret',
  DATABASE_URL: 'postgres://x',
}

function open(times?: { restMs?: number; patienceMs?: number }, isBehind?: boolean) {
  const discovery = openDiscoveryApart({ env, hidden: [], ...(isBehind && { isBehind }) }, times)
  onTestFinished(() => discovery.close())
  return discovery
}

async function folderWith(...names: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-apart-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of names) {
    await writeFile(join(folder, name), '#!/bin/sh\n')
    await chmod(join(folder, name), 0o755)
  }
  return folder
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('programs are looked at by a process that has nothing of ours', async () => {
  const discovery = open()
  expect(discovery.pid()).toBeUndefined()
  const stages: string[] = []
  const look = await discovery.look([await folderWith('one', 'two')], {
    onProgress: (stage) => stages.push(stage),
  })
  expect(look.programs.map(({ name }) => name).toSorted()).toEqual(['one', 'two'])
  expect(stages).toContain('scan')
  const pid = discovery.pid()!
  expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/secret|postgres/)
  expect((await discovery.habits(tmpdir())).uses).toBeInstanceOf(Map)
  await discovery.close()
  expect(isAlive(pid)).toBe(false)
  await expect(discovery.habits('/')).rejects.toThrow('The worker is stopping')
})

test('what nobody waits for is of low priority, and what somebody waits for is not', async () => {
  for (const isBehind of [true, false]) {
    const discovery = open({}, isBehind)
    await discovery.habits('/nowhere')
    expect(getPriority(discovery.pid()) - getPriority()).toBe(isBehind ? 10 : 0)
  }
})

test('whoever asks hears why a program could not be asked', async () => {
  // No folder can be put over a file: bubblewrap fails at that.
  const discovery = openDiscoveryApart({ env, hidden: ['/usr/bin/env'] })
  onTestFinished(() => discovery.close())
  const told: string[] = []
  const asked = discovery.describe(seen('/bin/odd', 'odd'), { onUnasked: (why) => told.push(why) })
  await expect(asked).rejects.toThrow(/Nothing/)
  expect(told).toEqual([expect.stringMatching(/walls could not be put up, so it was not run: bwrap: /)])
})

test('whoever waits hears when it dies, and the next one is answered', async () => {
  const discovery = open()
  const folder = await folderWith('one')
  await discovery.look([folder], {})
  const pid = discovery.pid()!
  const waiting = discovery.look([folder], {})
  process.kill(pid, 'SIGKILL')
  await expect(waiting).rejects.toThrow('has ended')
  expect((await discovery.look([folder], {})).programs).toHaveLength(1)
  expect(discovery.pid()).not.toBe(pid)
})

test('a look can be called off, before it has begun too', async () => {
  const discovery = open()
  const folder = await folderWith(...Array.from({ length: 200 }, (_, index) => `p${index}`))
  await expect(discovery.look([folder], { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no')
  const stop = new AbortController()
  const looking = discovery.look([folder], { signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(looking).rejects.toThrow('enough')
})

test('nobody waits for one that does not answer any more, neither to call something off nor to end', async () => {
  const discovery = open()
  await discovery.habits('/nowhere')
  const pid = discovery.pid()!
  process.kill(pid, 'SIGSTOP')
  const stop = new AbortController()
  const looking = discovery.look(['/usr/bin'], { signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(looking).rejects.toThrow('enough')
  await discovery.close()
  expect(isAlive(pid)).toBe(false)
})

test('one that does not let go of what was called off is replaced, and one that does is kept', async () => {
  const discovery = open({ patienceMs: 2_500 })
  const folder = await folderWith('one')
  const callOff = async () => {
    const stop = new AbortController()
    const looking = discovery.look(['/usr/bin'], { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(looking).rejects.toThrow('enough')
  }
  await discovery.habits('/nowhere')
  const pid = discovery.pid()!
  await callOff()
  await discovery.look([folder], {})
  await wait(2_700)
  expect(discovery.pid()).toBe(pid)
  process.kill(pid, 'SIGSTOP')
  await callOff()
  await expect(discovery.look([folder], {})).rejects.toThrow(LookerLost)
  expect((await discovery.look([folder], {})).programs).toHaveLength(1)
})

test('a program is asked in walls, and a model only by the worker, which has its key', async () => {
  const discovery = open()
  const folder = await folderWith()
  const path = join(folder, 'odd')
  await writeFile(
    path,
    '#!/bin/sh\necho "Usage: odd [--loud] WORD"\necho "version 4.5.6 $ANTHROPIC_API_KEY"\n',
  )
  await chmod(path, 0o755)
  const [program] = (await discovery.look([folder], {})).programs
  expect(await discovery.version(program!)).toBe('4.5.6')
  const questions: string[] = []
  const schema = await discovery.describe(program!, {
    model: (question) => {
      questions.push(question)
      return Promise.resolve('{"commands": [{"words": []}, {"words": ["sing"]}]}')
    },
  })
  expect(schema.source).toBe('model')
  expect(schema.commands.map(({ words }) => words)).toEqual([[], ['sing']])
  expect(questions).toEqual([expect.stringContaining('odd [--loud] WORD')])
  expect(questions[0]).not.toContain('secret')
  const silent = discovery.describe(program!, { model: () => Promise.reject(new Error('no money')) })
  expect((await silent).source).toBe('help')
})

test('it ends when there was nothing to do for a while', async () => {
  const discovery = open({ restMs: 50 })
  await discovery.habits('/nowhere')
  const pid = discovery.pid()!
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
  expect(await discovery.habits('/nowhere')).toBeDefined()
})
