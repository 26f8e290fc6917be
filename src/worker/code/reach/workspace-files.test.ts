import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { machines, sessions, streams, workspaces } from '#db/schema.ts'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { openTestRegistry, settings } from '#tools/fixtures/registry.ts'
import { openNativeSource } from '#tools/native-source.ts'
import { CallFailed } from '#tools/port.ts'
import type { ApprovalQuestion, Caller } from '#tools/port.ts'
import { startKeeper } from '../../../../test/support/keeper.ts'
import { freshPool } from '../../../../test/support/postgres.ts'
import { openToolCalls } from '../../call-tool.ts'
import type { ToolCalls } from '../../call-tool.ts'
import { keeperAt } from '../../keeper-client.ts'
import type { Keepers } from '../../keepers.ts'
import { workspaceTools } from '../../tools/workspace-tools.ts'
import { AwaitsPerson } from './awaits-person.ts'
import { grantsWith } from './fixtures/grants.ts'
import { openReach } from './open-reach.ts'

/** A session's workspace with a real keeper, behind a real registry, in which whoever has not said yes is to be asked. */
async function openWorkspace({ older = false } = {}) {
  const pool = await freshPool()
  const keeper = await startKeeper()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reach-files-')))
  const [machineId, sessionId, workspaceId] = [newId(), newId(), newId()]
  await pool.db.insert(machines).values({ id: machineId, name: 'here', workerId: 'w', url: 'unix:/nowhere' })
  await pool.db
    .insert(workspaces)
    .values({ id: workspaceId, machineId, driver: 'folder', root: folder, name: 'w' })
  await pool.db.insert(streams).values({ id: sessionId })
  await pool.db.insert(sessions).values({ id: sessionId, title: 't', createdBy: 'owner', workspaceId })
  const toolCalls = openToolCalls({
    pool,
    keepers: { forWorkspace: async () => ({ client: keeperAt(keeper.socket) }) } as unknown as Keepers,
    config: () => ({ allowedWorkingDirs: [folder], home: folder }) as never,
    machineId,
    readyWorkspace: async (id) => ({
      row: undefined as never,
      spec: { id, driver: 'folder', root: folder, commandRules: [] },
    }),
  })
  const approve = async ({ caller, tool, isExempt }: ApprovalQuestion) => {
    if (isExempt || caller.inCode?.consent || (caller.kind === 'person' && caller.confirmed)) return
    throw new CallFailed('awaits_person', 'not before', { context: { question: { tool: tool.name } } })
  }
  const { registry, notes } = openTestRegistry({ approve })
  const asOlder: ToolCalls = {
    ask(asked, input, signal) {
      if (!older || !('within' in JSON.parse(input))) return toolCalls.ask(asked, input, signal)
      throw new Problem('tool_input', 'within: is not known', { field: 'within', reason: 'is not known' })
    },
  }
  const tools = workspaceTools({ db: pool.db, machineId, toolCalls: asOlder, policies: () => ({}) })
  registry.put(openNativeSource(tools), settings({ isNative: true }))
  onTestFinished(async () => {
    await registry.close()
    await keeper.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  function reachOf(caller: Caller, files: Partial<CodeGrants['files']>) {
    const reach = openReach(
      { registry, observe: () => {}, config: () => undefined as never },
      {
        runId: newId(),
        caller,
        api: undefined as never,
        apiNow: () => undefined as never,
        grants: grantsWith({ files }),
      },
    )
    const { signal } = new AbortController()
    const call = (
      name: string,
      given: unknown[],
      consent?: { by: string; isOwner: boolean; inputHash: string },
    ) => reach.call(1, 'files', name, given, signal, { consent })
    const failure = (name: string, ...given: unknown[]) =>
      call(name, given).then(
        () => 'nothing failed',
        (error: unknown) => error,
      )
    return { call, failure }
  }
  const person: Caller = { kind: 'person', id: 'owner', isOwner: true, sessionId }
  const agent: Caller = {
    kind: 'agent',
    id: 'agent:1',
    agentId: newId(),
    agentName: 'Lead',
    allowedTools: [],
    sessionId,
    executionId: newId(),
    onBehalfOf: 'owner',
  }
  return { folder, notes, reachOf, person, agent }
}

test('code reaches the files of a workspace by the tools that everyone has, as far as it was granted', async () => {
  const { folder, notes, reachOf, person, agent } = await openWorkspace()
  for (const name of ['src', 'out', 'other']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'src/a.ts'), 'let é')
  writeFileSync(join(folder, 'other/secret.ts'), 'secret')
  symlinkSync('../other/secret.ts', join(folder, 'src/link.ts'))
  symlinkSync('../other', join(folder, 'src/way'))
  symlinkSync('/etc/hostname', join(folder, 'src/out.ts'))
  const paths = [
    { path: 'src', isReadOnly: true },
    { path: 'out', isReadOnly: false },
  ]
  const mine = reachOf(person, { paths, maxBytes: 100, extensions: ['.ts'] })
  const violation = expect.objectContaining({ code: 'CAPABILITY_VIOLATION' })
  const failed = (reason: string) =>
    expect.objectContaining({ code: 'RUNTIME_ERROR', details: expect.objectContaining({ reason }) })

  expect(await mine.call('read', ['src/a.ts', 'utf8'])).toBe('let é')
  expect(await mine.call('read', ['/workspace/src/../src/a.ts'])).toBe('let é')
  expect(await mine.call('list', ['src'])).toEqual(
    expect.arrayContaining([
      { name: 'a.ts', type: 'file' },
      { name: 'link.ts', type: 'link' },
    ]),
  )
  // Whoever gave leave to write there has said yes.
  expect(await mine.call('write', ['out/new/b.ts', 'text'])).toBeNull()
  expect(readFileSync(join(folder, 'out/new/b.ts'), 'utf8')).toBe('text')

  for (const path of [
    'other/secret.ts',
    '../x.ts',
    'src/../../x.ts',
    '/etc/passwd',
    folder,
    'src/link.ts',
    'src/a.md',
  ])
    expect(await mine.failure('read', path)).toEqual(violation)
  expect(await mine.failure('list', 'src/way')).toEqual(violation)
  expect(await mine.failure('list')).toEqual(violation)
  expect(await mine.failure('write', 'src/a.ts', 'x')).toEqual(violation)
  expect(await mine.failure('read', 'src/out.ts')).toEqual(failed('path_outside'))
  expect(await mine.failure('read', 'src/nothing.ts')).toEqual(failed('path_not_found'))
  expect(await mine.failure('write', 'out/b.ts', 'x'.repeat(101))).toEqual(failed('file_too_large'))
  writeFileSync(join(folder, 'src/a.ts'), 'x'.repeat(101))
  expect(await mine.failure('read', 'src/a.ts')).toEqual(failed('file_too_large'))
  expect(readFileSync(join(folder, 'src/a.ts'), 'utf8')).toHaveLength(101)

  // An agent is asked about what it writes here too.
  const its = reachOf(agent, { paths })
  expect(await its.call('list', ['out'])).toEqual([{ name: 'new', type: 'folder' }])
  const awaits = await its.failure('write', 'out/c.ts', 'text')
  expect(awaits).toBeInstanceOf(AwaitsPerson)
  expect(awaits).toMatchObject({ question: { tool: 'workspace.write_file' } })
  await its.call('write', ['out/c.ts', 'text'], { by: 'owner', isOwner: true, inputHash: '' })
  expect(readFileSync(join(folder, 'out/c.ts'), 'utf8')).toBe('text')
  const narrow = reachOf({ ...agent, allowedTools: ['github.*'] }, { paths })
  expect(await narrow.failure('read', 'src/a.ts')).toMatchObject({ details: { reason: 'tool_not_granted' } })
  expect(notes).toContainEqual(
    expect.objectContaining({
      tool: 'workspace.write_file',
      outcome: 'ok',
      caller: expect.objectContaining({ id: 'agent:1' }),
    }),
  )
})

test('what code writes lands where it was granted, whatever links there are', async () => {
  const { folder, reachOf, person, agent } = await openWorkspace()
  for (const name of ['src', 'out']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'src/a.json'), 'kept')
  symlinkSync('../src/a.json', join(folder, 'out/ro'))
  symlinkSync('..', join(folder, 'out/root'))
  symlinkSync('../secret.txt', join(folder, 'out/l2'))
  linkSync(join(folder, 'src/a.json'), join(folder, 'out/same'))
  const paths = [
    { path: 'src', isReadOnly: true },
    { path: 'out', isReadOnly: false },
  ]
  const yes = { by: 'owner', isOwner: true, inputHash: '' }
  for (const { call } of [reachOf(person, { paths }), reachOf(agent, { paths })]) {
    for (const path of ['out/ro', 'out/root/new.txt', 'out/root/src/a.json', 'out/l2', 'out/same'])
      await expect(call('write', [path, 'OVERWRITTEN'], yes)).rejects.toMatchObject({
        code: 'CAPABILITY_VIOLATION',
        details: { path },
      })
    expect(await call('write', ['out/own', 'text'], yes)).toBeNull()
  }
  expect(readFileSync(join(folder, 'src/a.json'), 'utf8')).toBe('kept')
  expect(readdirSync(folder).toSorted()).toEqual(['out', 'src'])
})

test('what an older version serves, which cannot hold a write to its paths, is not written', async () => {
  const { folder, reachOf, person } = await openWorkspace({ older: true })
  writeFileSync(join(folder, 'a'), 'text')
  const { call, failure } = reachOf(person, { paths: [{ path: '.', isReadOnly: false }] })
  expect(await call('read', ['a'])).toBe('text')
  expect(await failure('write', 'b', 'x')).toMatchObject({
    code: 'RUNTIME_ERROR',
    details: { reason: 'workspace_outdated' },
    message: expect.stringContaining('Stop the workspace'),
  })
  expect(readdirSync(folder)).toEqual(['a'])
})

test('what is no path, or not that of a file, is told as that', async () => {
  const { folder, reachOf, person } = await openWorkspace()
  writeFileSync(join(folder, 'a.json'), '{}')
  const { call, failure } = reachOf(person, { paths: [{ path: '.', isReadOnly: false }] })
  for (const [path, reason] of [
    ['', 'bad_request'],
    ['a\0', 'bad_request'],
    ['\ud800', 'bad_request'],
    ['a.json/', 'not_a_file'],
    ['a.json/.', 'not_a_file'],
    ['.', 'not_a_file'],
  ] as const)
    for (const verb of ['read', 'write'])
      expect([path, await failure(verb, path, 'x')]).toEqual([
        path,
        expect.objectContaining({
          code: 'RUNTIME_ERROR',
          details: expect.objectContaining({ reason }),
          message: expect.not.stringContaining('leads out'),
        }),
      ])
  expect(await failure('list', '')).toMatchObject({ details: { reason: 'bad_request' } })
  expect(await call('list', ['./'])).toEqual([{ name: 'a.json', type: 'file' }])
  expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe('{}')
})
