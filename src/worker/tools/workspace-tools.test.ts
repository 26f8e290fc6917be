import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import type { CommandRule } from '#contract/host.ts'
import { machines, policyRules, sessions, streams, workspaces } from '#db/schema.ts'
import { newId } from '#lib/id.ts'
import { openNativeSource } from '#tools/native-source.ts'
import type { Caller } from '#tools/port.ts'
import { startKeeper } from '../../../test/support/keeper.ts'
import { freshPool } from '../../../test/support/postgres.ts'
import { openToolCalls } from '../call-tool.ts'
import { keeperAt } from '../keeper-client.ts'
import type { Keepers } from '../keepers.ts'
import { workspaceTools } from './workspace-tools.ts'

/** The tools of a session's workspace, which is a folder with a real keeper. */
async function openWorkspace(commandRules: CommandRule[] = []) {
  const pool = await freshPool()
  const { db } = pool
  const keeper = await startKeeper()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-tools-')))
  onTestFinished(async () => {
    await keeper.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const [machineId, sessionId, workspaceId] = [newId(), newId(), newId()]
  await db.insert(machines).values({ id: machineId, name: 'here', workerId: 'w', url: 'unix:/nowhere' })
  await db
    .insert(workspaces)
    .values({ id: workspaceId, machineId, driver: 'folder', root: folder, name: 'w' })
  await db.insert(streams).values({ id: sessionId })
  await db.insert(sessions).values({ id: sessionId, title: 't', createdBy: 'owner', workspaceId })
  const toolCalls = openToolCalls({
    pool,
    keepers: { forWorkspace: async () => ({ client: keeperAt(keeper.socket) }) } as unknown as Keepers,
    config: () => ({ allowedWorkingDirs: [folder], home: folder }) as never,
    machineId,
    readyWorkspace: async (id) => ({
      row: undefined as never,
      spec: { id, driver: 'folder', root: folder, commandRules },
    }),
  })
  const tools = workspaceTools({ db, machineId, toolCalls, policies: () => ({}) })
  const source = openNativeSource(tools)
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
  const call = async (tool: string, args: Record<string, unknown>, caller: Caller = agent) => {
    const hands = { signal: new AbortController().signal }
    const { content, structuredContent, isError = false } = await source.call(caller, tool, args, hands)
    const text = content.map((part) => String(part['text'])).join('\n')
    return { isError, text, data: structuredContent }
  }
  return { db, folder, machineId, sessionId, workspaceId, tools, source, person, agent, call }
}

test('files are written, found, edited and read, and commands are run, all within the workspace', async () => {
  const { call, folder } = await openWorkspace()
  expect((await call('write_file', { path: 'a/b.txt', content: 'one\ntwo\n' })).text).toContain(
    'Made a/b.txt',
  )
  expect((await call('edit_file', { path: 'a/b.txt', find: 'two', replace: '2' })).data).toMatchObject({
    replacements: 1,
  })
  expect(readFileSync(join(folder, 'a/b.txt'), 'utf8')).toBe('one\n2\n')
  expect((await call('read_file', { path: 'a/b.txt' })).data).toMatchObject({ content: 'one\n2\n', lines: 2 })
  expect((await call('list_files', {})).data).toMatchObject({ entries: [{ name: 'a', kind: 'folder' }] })
  expect((await call('search_files', { pattern: '**/*.txt' })).text).toBe('a/b.txt\n')
  const ran = await call('execute_command', { command: 'pwd; exit 3' })
  expect(ran.data).toMatchObject({ stdout: `${folder}\n`, exitCode: 3 })
  expect(ran.text).toContain('[exit code 3]')
})

test('what does not work is told in a sentence', async () => {
  const { call } = await openWorkspace()
  for (const [tool, args, code] of [
    ['read_file', { path: '../etc/passwd' }, 'path_outside'],
    ['read_file', { path: 'nothing' }, 'path_not_found'],
    ['execute_command', { command: 'true', cwd: 'nowhere' }, 'path_not_found'],
    ['execute_command', { command: 'true', timeout: 700_000 }, 'does_not_fit'],
  ] as const) {
    const { isError, data, text } = await call(tool, args)
    expect([tool, isError, data]).toMatchObject([tool, true, { error: { code, message: text } }])
  }
})

test('a command that takes longer than it may is killed, and one may take minutes', async () => {
  const { call } = await openWorkspace()
  const ran = await call('execute_command', { command: 'echo begun; sleep 100', timeout: 300 })
  expect(ran.data).toMatchObject({ timedOut: true, stdout: 'begun\n' })
  expect((await call('execute_command', { command: 'true', timeout: 600_000 })).isError).toBe(false)
})

test('a rule forbids a command to everybody, or leaves it to a yes, which agents have when they come here', async () => {
  // What serves the workspace holds to them too.
  const { call, db, person, agent } = await openWorkspace([
    { pattern: 'rm *', decision: 'deny' },
    { pattern: 'echo *', decision: 'ask' },
  ])
  const rule = { agentId: null, tool: 'command', createdBy: 'owner' }
  await db.insert(policyRules).values([
    { ...rule, id: newId(), argument: 'rm *', effect: 'deny' },
    { ...rule, id: newId(), argument: 'echo *', effect: 'ask' },
  ])
  const codeOf = async (command: string, caller: Caller) =>
    JSON.stringify((await call('execute_command', { command }, caller)).data)
  const confirmed: Caller = { ...person, confirmed: true }
  for (const caller of [agent, person, confirmed])
    expect(await codeOf('rm -rf .', caller)).toContain('command_refused')
  expect(await codeOf('echo hi', person)).toContain('command_needs_confirm')
  for (const caller of [agent, confirmed]) expect(await codeOf('echo hi', caller)).toContain('hi\\n')
})

test('they are there in a session only, and only on its machine', async () => {
  const { source, call, db, sessionId, workspaceId, person, agent } = await openWorkspace()
  const outside: Caller = { kind: 'person', id: 'owner', isOwner: true }
  expect(source.tools().some(({ isFor }) => isFor?.(outside))).toBe(false)
  await expect(call('read_file', { path: 'a' }, outside)).rejects.toThrow('There is no tool')
  const elsewhere = newId()
  await db.insert(machines).values({ id: elsewhere, name: 'there', workerId: 'x', url: 'unix:/nowhere' })
  await db.update(workspaces).set({ machineId: elsewhere }).where(eq(workspaces.id, workspaceId))
  expect((await call('read_file', { path: 'a' }, person)).text).toContain('is on there')
  await db.update(sessions).set({ trashedAt: new Date() }).where(eq(sessions.id, sessionId))
  expect((await call('read_file', { path: 'a' }, agent)).text).toContain('in the trash')
})

test('what changes something is asked about, and the audit is told what it was, without contents', async () => {
  const { tools } = await openWorkspace()
  const asked = tools.tools.flatMap(({ name, needsNoApproval }) => (needsNoApproval ? [] : [name]))
  expect(asked).toEqual(['write_file', 'edit_file', 'execute_command'])
  const about = (name: string, args: Record<string, unknown>) =>
    tools.tools.find((tool) => tool.name === name)?.about?.(args)
  expect(about('write_file', { path: 'a', content: 'secret' })).toEqual({ path: 'a', bytes: 6 })
  expect(about('execute_command', { command: 'ls', env: { KEY: 'secret' } })).toMatchObject({
    command: 'ls',
    variables: ['KEY'],
  })
  expect(about('read_file', {})).toEqual({})
})
