import { copyFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { FoundProgram } from '#contract/discovery.ts'
import { discovered, events } from '#db/schema.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { openFoundMachine } from '../../test/support/discovery/found-machine.ts'
import { ada } from '../../test/support/registry.ts'
import type { Answer } from '../../test/support/registry.ts'

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
const names = ({ body }: Answer) => (body.data as FoundProgram[]).map(({ name }) => name)

describe('a scan', () => {
  test('finds what is on PATH, and makes nothing of it', async () => {
    const { program, scanned, ask, call, found, bin } = await openFoundMachine()
    await program('greet')
    await program('claude')
    expect(await scanned()).toMatchObject({ status: 'done', found: 2, added: 2, gone: 0, error: null })
    const { body } = await ask('GET', '')
    expect(names({ status: 200, body })).toEqual(['claude', 'greet'])
    expect(body.meta).toEqual({ total: 2, page: 1, pageSize: 50 })
    expect(await found('greet')).toMatchObject({
      path: join(bin, 'greet'),
      class: 'tool',
      state: 'found',
      agentId: null,
      goneAt: null,
      schemaSource: null,
    })
    expect(await found('claude')).toMatchObject({ class: 'agent', preset: 'claude', version: '1.2.3' })
    expect((await call('GET', '/agents')).body.data).toEqual([])
  })

  test('that is looking is joined, and one that only describes is not waited for', async () => {
    const { program, ask, scanned } = await openFoundMachine()
    await program('greet')
    const begun = await Promise.all([1, 2, 3].map(() => ask('POST', '/scan', {})))
    expect(new Set(begun.map(({ body }) => body.data.scanId)).size).toBe(1)
    expect(begun.map(({ status }) => status)).toEqual([202, 202, 202])
    const { scanId } = await scanned()
    await program('later')
    expect((await scanned()).scanId).not.toBe(scanId)
    expect(names(await ask('GET', '?q=later'))).toEqual(['later'])
  })

  test('keeps what people said: who is an agent, what is out of sight, and how an agent was changed', async () => {
    const { program, scanned, found, ask, call } = await openFoundMachine()
    for (const name of ['greet', 'hide-me']) await program(name)
    await scanned()
    const { body } = await ask('POST', '/confirm', { ids: [(await found('greet')).id] })
    const [{ id: agentId }] = body.data
    await ask('POST', '/confirm', { ids: [(await found('hide-me')).id], hide: true })
    await call('PATCH', `/agents/${agentId}`, { name: 'Greeter', memoryMb: 512 })
    expect(await scanned()).toMatchObject({ added: 0, gone: 0 })
    expect(await found('greet')).toMatchObject({ state: 'confirmed', agentId })
    expect((await call('GET', `/agents/${agentId}`)).body.data).toMatchObject({
      name: 'Greeter',
      memoryMb: 512,
    })
    expect(names(await ask('GET', ''))).toEqual(['greet'])
    expect(names(await ask('GET', '?state=hidden'))).toEqual(['hide-me'])
  })

  test('goes on when whoever looks at programs has ended, and takes that for no answer', async () => {
    const { program, scanned, found, ask, call } = await openFoundMachine()
    const path = await program('claude')
    await writeFile(`${path}.json`, '')
    expect(await scanned()).toMatchObject({ status: 'done' })
    const { id } = await found('claude')
    expect((await ask('GET', `/${id}`)).body.data).toMatchObject({
      schema: null,
      schemaTrouble: 'It has ended',
    })
    expect(codeOf(await ask('POST', `/${id}/describe`, {}))).toEqual([503, 'machine_unavailable'])
    expect((await found('claude')).schemaTrouble).toBeNull()
    const other = await program('greet')
    await writeFile(`${other}.json`, '')
    await scanned()
    const { body } = await ask('POST', '/confirm', { ids: [(await found('greet')).id] })
    await program('claude', [['sing']])
    await program('greet', [['sing']])
    expect((await ask('GET', `/${id}`)).body.data).toMatchObject({ subcommands: ['sing'] })
    await ask('GET', `/${(await found('greet')).id}`)
    const capabilities = await call('GET', `/agents/${body.data[0].id}/capabilities`)
    expect(capabilities.body.data.map(({ key }: { key: string }) => key)).toEqual(['run', 'sing'])
  })

  test('describes behind everybody’s back with low priority, and for people with the usual one', async () => {
    const { program, scanned, found, ask, described } = await openFoundMachine()
    for (const name of ['claude', 'greet', 'other']) await program(name, [['sing']])
    await scanned()
    await ask('GET', `/${(await found('greet')).id}`)
    await ask('POST', '/confirm', { ids: [(await found('other')).id] })
    expect(described).toEqual([
      { name: 'claude', isBehind: true },
      { name: 'greet', isBehind: false },
      { name: 'other', isBehind: false },
    ])
  })

  test('does not take it for an answer that a program could not be asked', async () => {
    const { program, scanned, found, ask, described } = await openFoundMachine()
    const paths = await Promise.all(['claude', 'greet'].map((name) => program(name)))
    for (const path of paths) await writeFile(`${path}.json`, 'no walls')
    await scanned()
    const { id } = await found('greet')
    const trouble = { schema: null, schemaTrouble: 'Nothing is known: there are no walls' }
    expect((await ask('GET', `/${id}`)).body.data).toMatchObject(trouble)
    for (const name of ['claude', 'greet']) await program(name, [['sing']])
    await scanned()
    expect(await found('claude')).toMatchObject({ subcommands: ['sing'], schemaTrouble: null })
    expect((await ask('GET', `/${id}`)).body.data).toMatchObject({
      subcommands: ['sing'],
      schemaTrouble: null,
    })
    // What is known from that time is kept when it cannot be asked again.
    for (const path of paths) await writeFile(`${path}.json`, 'no walls')
    const { body } = await ask('POST', `/${id}/describe`, {})
    expect(body.data).toMatchObject({ subcommands: ['sing'], schemaTrouble: trouble.schemaTrouble })
    const asked = described.length
    await ask('GET', `/${id}`)
    expect(described).toHaveLength(asked)
  })

  test('says what is gone, and of which agent, until it is back', async () => {
    const { program, scanned, found, ask, call, folder, pool } = await openFoundMachine()
    const path = await program('greet')
    await program('stays')
    await scanned()
    const { body } = await ask('POST', '/confirm', { ids: [(await found('greet')).id] })
    const agent = async () => (await call('GET', `/agents/${body.data[0].id}`)).body.data
    expect((await agent()).missingSince).toBeNull()
    await rename(path, join(folder, 'kept'))
    expect(await scanned()).toMatchObject({ found: 1, gone: 1 })
    expect(names(await ask('GET', '?gone=true'))).toEqual(['greet'])
    expect(names(await ask('GET', '?gone=false'))).toEqual(['stays'])
    const { missingSince } = await agent()
    expect(missingSince).toEqual(expect.any(String))
    await scanned()
    expect((await agent()).missingSince).toBe(missingSince)
    await rename(join(folder, 'kept'), path)
    expect(await scanned()).toMatchObject({ added: 0, gone: 0 })
    expect((await found('greet')).goneAt).toBeNull()
    expect((await agent()).missingSince).toBeNull()
    const told = await pool.db.select().from(events).where(eq(events.type, 'agent.missing'))
    expect(told.map(({ payload }) => payload)).toEqual([
      { agentId: body.data[0].id, name: 'greet', missingSince },
      { agentId: body.data[0].id, name: 'greet', missingSince: null },
    ])
  })

  test('does not call an agent’s program gone because another of its name comes first now', async () => {
    const { program, scanned, found, ask, call, first, bin } = await openFoundMachine()
    await program('greet')
    await scanned()
    const before = await found('greet')
    const { body } = await ask('POST', '/confirm', { ids: [before.id] })
    await program('greet', undefined, first)
    await scanned()
    expect((await call('GET', `/agents/${body.data[0].id}`)).body.data.missingSince).toBeNull()
    const both = (await ask('GET', '?q=greet')).body.data as FoundProgram[]
    expect(both.map(({ path, goneAt }) => [path, goneAt]).toSorted()).toEqual([
      [join(bin, 'greet'), null],
      [join(first, 'greet'), null],
    ])
  })

  test('tells of folders that are not there', async () => {
    const { scanned } = await openFoundMachine({ PATH: '/nowhere/at/all' })
    expect(await scanned()).toMatchObject({
      status: 'done',
      troubles: [{ path: '/nowhere/at/all', reason: expect.any(String) }],
    })
  })

  test('is begun behind a search when the last one was long ago', async () => {
    const { program, ask } = await openFoundMachine()
    await program('greet')
    expect((await ask('GET', '')).body.meta.total).toBe(0)
    expect((await ask('GET', '/scan')).body.data).toBeNull()
    await ask('GET', '?q=greet')
    await expect.poll(async () => (await ask('GET', '')).body.meta.total, { timeout: 10_000 }).toBe(1)
    await program('later')
    await ask('GET', '?q=greet')
    const { scanId } = (await ask('GET', '/scan')).body.data
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect((await ask('GET', '/scan')).body.data.scanId).toBe(scanId)
  })

  test('is told live, from how it stands to its end', async () => {
    const { program, scanned, request } = await openFoundMachine()
    await program('greet')
    await scanned()
    const stop = new AbortController()
    const answer = await request('/stream', { signal: stop.signal })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const until = async (words: string) => {
      while (!text.includes(words)) text += (await reader.read()).value
    }
    await until('"status":"done"')
    text = ''
    const { scanId } = await scanned()
    await until('"status":"done"')
    expect(text).toContain(`"scanId":"${scanId}"`)
    expect(text).toContain('"type":"scan"')
    stop.abort()
  })
})

describe('a list', () => {
  test('is searched by name, package, description and alias, and filtered', async () => {
    const { program, scanned, ask, pool } = await openFoundMachine()
    for (const name of ['alpha', 'alphabet', 'beta', 'zz']) await program(name)
    await scanned()
    const { eq } = await import('drizzle-orm')
    const change = (name: string, to: object) =>
      pool.db.update(discovered).set(to).where(eq(discovered.name, name))
    await change('zz', { description: 'Prints 100% of ALPHA_x', uses: 9 })
    await change('beta', { aliases: ['b'], package: 'greek', class: 'daemon' })
    expect(names(await ask('GET', ''))).toEqual(['zz', 'alpha', 'alphabet', 'beta'])
    expect(names(await ask('GET', '?q=Alpha'))).toEqual(['alpha', 'alphabet', 'zz'])
    expect(names(await ask('GET', '?q=100%25%20of'))).toEqual(['zz'])
    expect(names(await ask('GET', '?q=alpha_'))).toEqual(['zz'])
    expect(names(await ask('GET', '?q=GREEK'))).toEqual(['beta'])
    expect(names(await ask('GET', '?class=daemon'))).toEqual(['beta'])
    expect(names(await ask('GET', '?page=2&pageSize=3'))).toEqual(['beta'])
  })

  test('that cannot be meant is refused', async () => {
    const { ask } = await openFoundMachine()
    const unknown = newId()
    for (const [path, status] of [
      ['?class=none', 422],
      ['?state=none', 422],
      ['?gone=maybe', 422],
      ['?q=', 422],
      [`?q=${'x'.repeat(201)}`, 422],
      ['?pageSize=501', 422],
      ['?machineId=1', 422],
      [`?machineId=${unknown}`, 404],
      ['/1', 422],
      [`/${unknown}`, 404],
      [`/scan?machineId=${unknown}`, 404],
    ] as const)
      expect([path, (await ask('GET', path)).status]).toEqual([path, status])
    expect(codeOf(await ask('POST', '/scan', { machineId: unknown }))).toEqual([404, 'machine_not_found'])
  })
})

describe('what a program can be asked for', () => {
  test('is looked at when the owner first asks, and again when told to', async () => {
    const { program, scanned, found, ask, asWho } = await openFoundMachine()
    const path = await program('tool', [[], ['status'], ['remote', 'add']])
    await scanned()
    const { id } = await found('tool')
    expect((await asWho(ada, 'GET', `/${id}`)).body.data).toMatchObject({ schema: null, subcommands: [] })
    expect((await ask('GET', `/${id}`)).body.data).toMatchObject({
      schemaSource: 'help',
      subcommands: ['status', 'remote'],
      version: '1.2.3',
      schema: { commands: [{ words: [] }, { words: ['status'] }, { words: ['remote', 'add'] }] },
    })
    expect((await asWho(ada, 'GET', `/${id}`)).body.data.schema.commands).toHaveLength(3)
    await rm(`${path}.json`)
    const again = await ask('POST', `/${id}/describe`, {})
    expect(again.body.data).toMatchObject({
      schemaTrouble: 'It says nothing of itself',
      schemaSource: 'help',
    })
  })

  test('is looked at again when it has become another program', async () => {
    const { program, scanned, found, ask, folder, bin } = await openFoundMachine()
    const [one, other] = [await program('one', [['old']], folder), await program('other', [['new']], folder)]
    const path = join(bin, 'tool')
    const becomes = async (target: string) => {
      await rm(path, { force: true })
      await symlink(target, path)
      await copyFile(`${target}.json`, `${path}.json`)
      await scanned()
      return (await ask('GET', `/${(await found('tool')).id}`)).body.data.subcommands
    }
    expect(await becomes(one)).toEqual(['old'])
    expect(await becomes(other)).toEqual(['new'])
  })

  test('is asked of a model only when told to, and what is missing for that is said', async () => {
    const { program, scanned, found, ask, machine } = await openFoundMachine()
    await program('mute')
    await scanned()
    const { id } = await found('mute')
    const refused = await ask('POST', `/${id}/describe`, { model: true })
    expect(codeOf(refused)).toEqual([503, 'model_unavailable'])
    expect(refused.body.error.message).toContain('_API_KEY')
    const { chat } = machine
    machine.chat = async () => ({
      ...(await chat()),
      choose: () => ({ provider: 'openai', model: 'm', name: 'openai/m' }),
      takeTurn: async (_, hands) => {
        const commands = JSON.stringify([
          { words: ['go'], description: '', options: [], positionals: [], danger: 1 },
        ])
        hands.say({ type: 'text-delta', id: '1', delta: commands })
        return { how: 'completed' }
      },
    })
    const asked = await ask('POST', `/${id}/describe`, { model: true })
    expect(asked.body.data).toMatchObject({ schemaSource: 'model', subcommands: ['go'], schemaTrouble: null })
  })

  test('can be read while its machine is away, which is told', async () => {
    const { program, scanned, found, ask, serving } = await openFoundMachine()
    await program('tool', [['status']])
    await scanned()
    const { id } = await found('tool')
    await serving.close()
    const { status, body } = await ask('GET', `/${id}`)
    expect([status, body.data.schema]).toEqual([200, null])
    expect(body.data.schemaTrouble).toContain('does not answer')
    for (const path of ['/scan', `/${id}/describe`])
      expect(codeOf(await ask('POST', path, {}))).toEqual([503, 'machine_unavailable'])
    expect(codeOf(await ask('POST', '/confirm', { ids: [id] }))).toEqual([503, 'machine_unavailable'])
  })
})

test('only the owner scans, describes and confirms; whoever may see agents reads', async () => {
  const { program, scanned, found, ask, asWho, call } = await openFoundMachine()
  await program('tool')
  await scanned()
  const { id } = await found('tool')
  const admin = { ...ada, scopes: [...ada.scopes, 'admin' as const] }
  const chatter = asPrincipal({ id: newId(), name: 'Grace', scopes: ['chat', 'tools'] })
  for (const [path, body] of [
    ['/scan', {}],
    ['/confirm', { ids: [id] }],
    ['/confirm', { ids: [id], hide: true }],
    [`/${id}/describe`, {}],
  ] as const)
    expect(codeOf(await asWho(admin, 'POST', path, body))).toEqual([403, 'forbidden'])
  for (const path of ['', '/scan', `/${id}`]) {
    expect((await asWho(ada, 'GET', path)).status).toBe(200)
    expect(codeOf(await asWho(chatter, 'GET', path))).toEqual([403, 'forbidden'])
  }
  expect(codeOf(await asWho(chatter, 'GET', '/stream'))).toEqual([403, 'forbidden'])
  expect((await asWho(owner, 'GET', '')).body.data[0]).toMatchObject({ id, state: 'found' })
  expect((await ask('GET', '?q=tool')).body.meta.total).toBe(1)
  expect((await call('GET', '/agents')).body.data).toEqual([])
})
