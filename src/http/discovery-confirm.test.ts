import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { discovered } from '#db/schema.ts'
import { newId } from '#lib/id.ts'
import { openFoundMachine } from '../../test/support/discovery/found-machine.ts'
import type { Answer } from '../../test/support/registry.ts'

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

describe('confirming', () => {
  test('makes an agent that can be asked for what is known, once', async () => {
    const { program, scanned, found, ask, call, machineId, bin } = await openFoundMachine()
    await program('tool', [[], ['status']])
    await program('mute')
    await scanned()
    const ids = [(await found('mute')).id, (await found('tool')).id]
    const { status, body } = await ask('POST', '/confirm', { ids })
    expect(status).toBe(200)
    expect(body.data).toMatchObject([
      { name: 'mute', kind: 'tool', adapter: 'template', active: true, machineId },
      { name: 'tool', binaryPath: join(bin, 'tool') },
    ])
    const keys = async (agentId: string) =>
      (await call('GET', `/agents/${agentId}/capabilities`)).body.data.map(({ key }: { key: string }) => key)
    expect(await keys(body.data[0].id)).toEqual(['run'])
    expect(await keys(body.data[1].id)).toEqual(['run', 'status'])
    const again = await Promise.all([1, 2, 3].map(() => ask('POST', '/confirm', { ids })))
    for (const one of again) expect(one.body.data).toEqual(body.data)
    expect((await call('GET', '/agents')).body.data).toHaveLength(2)
    // What is found out later, its agent can be asked for later, unless somebody has said what it can be asked for.
    await program('mute', [[], ['speak']])
    await ask('POST', `/${ids[0]}/describe`, {})
    expect(await keys(body.data[0].id)).toEqual(['run', 'speak'])
    await program('mute', [[], ['speak'], ['shout']])
    await ask('POST', `/${ids[0]}/describe`, {})
    expect(await keys(body.data[0].id)).toEqual(['run', 'speak'])
  })

  test('at the same time makes one agent', async () => {
    const { program, scanned, found, ask, call } = await openFoundMachine()
    await program('tool')
    await scanned()
    const { id } = await found('tool')
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask('POST', '/confirm', { ids: [id] })))
    expect(new Set(answers.map(({ body }) => body.data[0].id)).size).toBe(1)
    expect((await call('GET', '/agents')).body.data).toHaveLength(1)
  })

  test('takes the agent that somebody registered by hand as it is, and finds another name where one is taken', async () => {
    const { program, scanned, found, ask, pool, machineId } = await openFoundMachine()
    const [path] = [await program('tool'), await program('taken')]
    await scanned()
    const { agents } = await import('#db/schema.ts')
    const byHand = { id: newId(), name: 'My tool', kind: 'tool' as const, machineId, binaryPath: path }
    await pool.db.insert(agents).values([byHand, { id: newId(), name: 'taken', kind: 'tool' }])
    const ids = [(await found('tool')).id, (await found('taken')).id]
    const { body } = await ask('POST', '/confirm', { ids })
    expect(body.data).toMatchObject([{ id: byHand.id, name: 'My tool' }, { name: 'taken on here' }])
  })

  test('a coding agent makes it by its preset, with what it is asked by', async () => {
    const { program, scanned, found, ask, call } = await openFoundMachine()
    await program('opencode')
    await scanned()
    const { body } = await ask('POST', '/confirm', { ids: [(await found('opencode')).id] })
    expect(body.data).toMatchObject([
      { name: 'opencode', kind: 'coding', adapter: 'acp', preset: 'opencode' },
    ])
    const { body: capabilities } = await call('GET', `/agents/${body.data[0].id}/capabilities`)
    expect(capabilities.data).toMatchObject([{ key: 'ask', interactionMode: 'prompt' }])
  })

  test('is undone by deleting the agent', async () => {
    const { program, scanned, found, ask, call } = await openFoundMachine()
    await program('tool')
    await scanned()
    const { id } = await found('tool')
    const confirmed = await ask('POST', '/confirm', { ids: [id] })
    expect(codeOf(await ask('POST', '/confirm', { ids: [id], hide: true }))).toEqual([
      409,
      'program_confirmed',
    ])
    await call('DELETE', `/agents/${confirmed.body.data[0].id}`)
    expect(await found('tool')).toMatchObject({ state: 'found', agentId: null })
    expect((await ask('POST', '/confirm', { ids: [id], hide: true })).body.data).toEqual([])
    const hidden = (await ask('GET', '?state=hidden')).body.data[0]
    expect(hidden).toMatchObject({ id, state: 'hidden' })
    await ask('POST', '/confirm', { ids: [id], hide: false })
    expect(await found('tool')).toMatchObject({ state: 'found' })
  })

  test('is refused as a whole, and says for what', async () => {
    const { program, scanned, found, ask, call, pool, addMachine } = await openFoundMachine()
    for (const name of ['tool', 'vanishes', 'vanished']) await program(name)
    await scanned()
    const [tool, vanishes, vanished] = [await found('tool'), await found('vanishes'), await found('vanished')]
    await rm(vanished.path)
    await scanned()
    await rm(vanishes.path)
    const elsewhere = newId()
    await addMachine(elsewhere, 'elsewhere', 'unix:/nowhere')
    const { schema: _, ...row } = (await pool.db.select().from(discovered))[0]!
    const foreign = newId()
    await pool.db.insert(discovered).values({ ...row, id: foreign, machineId: elsewhere, agentId: null })
    const refusals: [ids: unknown[], status: number, code: string][] = [
      [[tool.id, newId()], 404, 'program_not_found'],
      [[tool.id, vanished.id], 409, 'program_gone'],
      [[tool.id, vanishes.id], 409, 'program_gone'],
      [[tool.id, foreign], 422, 'does_not_fit'],
      [[foreign], 503, 'machine_unavailable'],
      [[], 422, 'does_not_fit'],
      [['1'], 422, 'does_not_fit'],
      [Array.from({ length: 501 }, () => tool.id), 422, 'does_not_fit'],
    ]
    for (const [ids, status, code] of refusals)
      expect(codeOf(await ask('POST', '/confirm', { ids }))).toEqual([status, code])
    expect((await call('GET', '/agents')).body.data).toEqual([])
    expect(await found('tool')).toMatchObject({ state: 'found' })
  })

  test('what may not be run here is refused', async () => {
    const { program, scanned, found, ask } = await openFoundMachine({ ALLOWED_BINARY_DIRS: '/usr/bin' })
    await program('tool')
    await scanned()
    const refused = await ask('POST', '/confirm', { ids: [(await found('tool')).id] })
    expect(codeOf(refused)).toEqual([403, 'binary_not_allowed'])
    expect(refused.body.error.message).toContain('ALLOWED_BINARY_DIRS')
  })

  test('is called off when the worker stops, and makes nothing then', async () => {
    const { program, scanned, found, ask, call, here, described } = await openFoundMachine()
    await writeFile(`${await program('slow')}.json`, 'waits')
    await scanned()
    const asked = ask('POST', '/confirm', { ids: [(await found('slow')).id] })
    await expect.poll(() => described).toEqual([{ name: 'slow', isBehind: false }])
    const began = Date.now()
    await here.close()
    expect(Date.now() - began).toBeLessThan(5_000)
    expect(codeOf(await asked)).toEqual([503, 'machine_unavailable'])
    expect((await call('GET', '/agents')).body.data).toEqual([])
    expect(await found('slow')).toMatchObject({ state: 'found' })
  })
})
