import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEntry } from '#contract/audit.ts'
import { frameCutter } from '#contract/sse-frame.ts'
import type { Frame } from '#contract/sse-frame.ts'
import { newId } from '#lib/id.ts'
import { killChild } from '../support/kill-child.ts'
import { call, startSignalbox } from '../support/signalbox.ts'
import type { Answer, Signalbox } from '../support/signalbox.ts'

const patience = { timeout: 20_000 }
let box: Signalbox
let agentId = ''
let session = ''

beforeAll(async () => {
  box = await startSignalbox()
  const registered = await box.call('POST', '/agents', {
    name: 'shell',
    binaryPath: '/bin/sh',
    workingDir: box.work,
  })
  agentId = registered.body.data.id
  session = await openSession()
}, 60_000)
afterAll(async () => void (await box?.stop()))

const openSession = async (token = box.token): Promise<string> =>
  (await call(box.url, token, 'POST', '/sessions', { agentId })).body.data.id
const tool = (name: string, input: unknown, id = session): Promise<Answer> =>
  box.call('POST', `/sessions/${id}/tools/${name}`, input)
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]

const addUser = async (name: string, scopes: string[]): Promise<string> =>
  (await box.call('POST', '/users', { name, scopes })).body.data.token

async function audited(id = session): Promise<AuditEntry[]> {
  return (await box.call('GET', `/audit?sessionId=${id}&pageSize=500`)).body.data
}

/** Whether a process lives whose command line has this in it. */
const lives = (word: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)
    } catch {
      return false // it has just ended
    }
  })

/** A streamed command: its frames as they come. */
async function stream(input: object, signal?: AbortSignal) {
  const response = await fetch(`${box.url}/api/v1/sessions/${session}/tools/command`, {
    method: 'POST',
    headers: { authorization: `Bearer ${box.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...input, stream: true }),
    ...(signal && { signal }),
  })
  async function* frames(): AsyncGenerator<Frame> {
    const cut = frameCutter()
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) yield* cut(text)
  }
  return { response, frames: frames() }
}

describe('the tools of a workspace', () => {
  test('write, read, edit, list, find and run, and each tells how long it took', async () => {
    const content = 'one\ntwo\nthree\n'
    const written = await tool('write', { path: 'notes/list.txt', content })
    expect([written.status, written.body.data]).toEqual([
      200,
      expect.objectContaining({ path: 'notes/list.txt', size: 14, created: true }),
    ])
    const read = await tool('read', { path: '/workspace/notes/list.txt' })
    expect(read.body.data).toMatchObject({ path: 'notes/list.txt', content, lines: 3, size: 14 })
    const edit = { path: 'notes/list.txt', find: 'two', replace: 'zwei', expectedHash: read.body.data.hash }
    expect((await tool('edit', edit)).body.data).toMatchObject({ replacements: 1, sizeAfter: 15 })
    expect(readFileSync(join(box.work, 'notes/list.txt'), 'utf8')).toBe('one\nzwei\nthree\n')
    const listed = (await tool('list', { path: 'notes' })).body.data
    expect(listed.entries).toEqual([expect.objectContaining({ name: 'list.txt', kind: 'file', size: 15 })])
    for (const search of [
      { pattern: '**/*.txt' },
      { pattern: 'list\\.txt$', type: 'regex' },
      { pattern: 'list.txt', type: 'exact' },
      { pattern: 'zwei', type: 'content' },
    ])
      expect((await tool('search', search)).body.data.files[0].path).toBe('notes/list.txt')
    const ran = await tool('command', {
      command: 'pwd; echo $GREETING >&2; exit 3',
      env: { GREETING: 'hello' },
      cwd: 'notes',
    })
    expect(ran.body.data).toMatchObject({ stderr: 'hello\n', exitCode: 3, signal: null, timedOut: false })
    expect(ran.body.data.stdout).toMatch(/notes\n$/)
    const health = await box.call('GET', `/sessions/${session}/tools/health`)
    expect([health.status, health.body.data.status]).toEqual([200, 'ok'])
    for (const answer of [written, read, ran, health])
      expect(answer.body.data.executionTime).toBeGreaterThan(0)
  })

  test('tell by status and code what they cannot do, and nothing of the machine', async () => {
    writeFileSync(join(box.work, 'binary'), Buffer.from([0, 1, 2, 255]))
    symlinkSync('/etc/passwd', join(box.work, 'out'))
    mkdirSync(join(box.work, 'folder'))
    writeFileSync(join(box.work, 'twice'), 'a a')
    const refusals: [string, object, number, string][] = [
      ['read', { path: '../../etc/passwd' }, 403, 'path_outside'],
      ['read', { path: 'out' }, 403, 'path_outside'],
      ['read', { path: 'nowhere' }, 404, 'path_not_found'],
      ['read', { path: 'folder' }, 422, 'not_a_file'],
      ['read', { path: 'binary' }, 422, 'not_text'],
      ['list', { path: 'binary' }, 422, 'not_a_folder'],
      ['edit', { path: 'twice', find: 'b', replace: '' }, 422, 'no_match'],
      ['edit', { path: 'twice', find: 'a', replace: '' }, 422, 'many_matches'],
      ['edit', { path: 'twice', find: 'a', replace: '', expectedHash: '0'.repeat(64) }, 409, 'file_changed'],
      ['write', { path: 'twice', content: '', expectedHash: null }, 409, 'file_exists'],
      ['search', { pattern: '(', type: 'regex' }, 422, 'bad_pattern'],
      ['output', { handle: 'gone' }, 404, 'output_gone'],
      ['read', { path: 'twice', colour: 'red' }, 422, 'does_not_fit'],
      ['command', { command: 'true', timeout: 60_001 }, 422, 'does_not_fit'],
      ['command', { command: '' }, 422, 'does_not_fit'],
    ]
    for (const [name, input, status, code] of refusals) {
      const answer = await tool(name, input)
      expect([name, input, ...codeOf(answer)]).toEqual([name, input, status, code])
      expect(answer.body.error.message).not.toMatch(/\/proc\/|node:|\.ts\b|signalbox-home/)
    }
    expect(codeOf(await tool('read', { path: 'x' }, newId()))).toEqual([404, 'session_not_found'])
    expect((await tool('nothing', {})).status).toBe(404)
  })

  test('take a file of many megabytes, and no body of more than fifty', { timeout: 120_000 }, async () => {
    const content = 'x'.repeat(40 * 1024 * 1024)
    const written = await tool('write', { path: 'large.txt', content })
    expect([written.status, written.body.data?.size ?? written.body]).toEqual([200, content.length])
    const read = await tool('read', { path: 'large.txt' })
    expect([200, 422]).toContain(read.status) // what is too long to be read whole is told
    const body = JSON.stringify({ path: 'larger.txt', content: 'x'.repeat(50 * 1024 * 1024) })
    expect(codeOf(await tool('write', body))).toEqual([413, 'body_too_large'])
  })
})

describe('a streamed command', () => {
  test('says what it says as it says it, and its result at the end', async () => {
    await tool('command', { command: 'mkfifo gate' })
    const { response, frames } = await stream({ command: 'echo first; read line < gate; echo $line >&2' })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    const first = (await frames.next()).value
    expect([first?.event, first?.data]).toEqual(['stdout', '{"text":"first\\n"}'])
    await tool('command', { command: 'echo opened > gate' })
    const rest: Frame[] = []
    for await (const frame of frames) rest.push(frame)
    expect(rest.map(({ event }) => event).filter((event) => event !== 'progress')).toEqual([
      'stderr',
      'result',
    ])
    expect(JSON.parse(rest.at(-1)!.data)).toMatchObject({
      stdout: 'first\n',
      stderr: 'opened\n',
      exitCode: 0,
    })
  })

  test('is ended with all it has started when its reader hangs up', async () => {
    const mark = `signalbox-hang-up-${newId()}`
    const hangUp = new AbortController()
    const { frames } = await stream(
      { command: `sh -c 'sleep 500; : ${mark}' & echo started; wait`, timeout: 600_000 },
      hangUp.signal,
    )
    expect(JSON.parse((await frames.next()).value!.data)).toEqual({ text: 'started\n' })
    expect(lives(mark)).toBe(true)
    hangUp.abort()
    await expect.poll(() => lives(mark), patience).toBe(false)
    await expect.poll(async () => (await audited())[0]?.detail['code'], patience).toBe('hung_up')
  })

  test('is refused before it begins like any other', async () => {
    const { response } = await stream({ command: 'true', cwd: '/etc', timeout: 900_000 })
    expect(response.status).toBe(422)
  })
})

describe('who may', () => {
  test('others do not find the session, and without the scope nobody gets in', async () => {
    const ada = await addUser('Ada', ['tools', 'run'])
    const bob = await addUser('Bob', ['tools'])
    const carol = await addUser('Carol', ['board'])
    const hers = await openSession(ada)
    const as = (token: string | undefined, id: string) =>
      call(box.url, token, 'POST', `/sessions/${id}/tools/list`, {})
    expect((await as(ada, hers)).status).toBe(200)
    expect(codeOf(await as(bob, hers))).toEqual([404, 'session_not_found'])
    expect(codeOf(await as(carol, hers))).toEqual([403, 'forbidden'])
    expect(codeOf(await as(undefined, hers))).toEqual([401, 'unauthenticated'])
    expect((await tool('list', {}, hers)).status).toBe(200) // the owner's are all of them
    const seen = async (token: string) =>
      (await call(box.url, token, 'GET', '/audit')).body.data.map((entry: AuditEntry) => entry.sessionId)
    expect(new Set(await seen(ada))).toEqual(new Set([hers]))
    expect(await seen(bob)).toEqual([])
    expect((await call(box.url, ada, 'GET', '/usage')).body.data).toMatchObject({ calls: 2, failed: 0 })
  })

  test('a session in the trash has no tools until it is restored', async () => {
    const id = await openSession()
    await box.call('DELETE', `/sessions/${id}`)
    expect(codeOf(await tool('list', {}, id))).toEqual([409, 'session_trashed'])
    await box.call('POST', `/sessions/${id}/restore`)
    expect((await tool('list', {}, id)).status).toBe(200)
  })

  test('rules forbid commands, and ask for a person', async () => {
    const rule = async (argument: string, effect: string) =>
      (await box.call('POST', '/policies/rules', { tool: 'command', argument, effect })).body.data.id
    const ids = [await rule('shutdown*', 'deny'), await rule('git push*', 'ask')]
    const refused = await tool('command', { command: 'true && shutdown now', confirm: true })
    expect([...codeOf(refused), refused.body.error.message]).toEqual([
      403,
      'command_refused',
      expect.stringContaining('shutdown*'),
    ])
    expect(codeOf(await tool('command', { command: 'git push' }))).toEqual([409, 'command_needs_confirm'])
    expect((await tool('command', { command: 'git push', confirm: true })).status).toBe(200)
    for (const id of ids) await box.call('DELETE', `/policies/rules/${id}`)
  })

  test('more than a thousand calls a minute have to wait', { timeout: 120_000 }, async () => {
    const id = await openSession()
    let last: Answer | undefined
    for (let sent = 0; sent < 1_100 && last?.status !== 429; sent += 20)
      last = (await Promise.all(Array.from({ length: 20 }, () => tool('list', {}, id)))).at(-1)
    expect(codeOf(last!)).toEqual([429, 'too_many_calls'])
    expect(Number(last!.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await tool('list', {})).status).toBe(200) // in another session
  })
})

test('everything is written down: who, where, what it was about and what came of it, but no contents', async () => {
  const id = await openSession()
  await tool('write', { path: 'secret.txt', content: 'CONTENTS-OF-IT' }, id)
  await tool('read', { path: 'no\0where' }, id)
  await tool('command', { command: 'exit 7', env: { KEY: 'VALUE-OF-IT' } }, id)
  await (await stream({ command: 'true' })).response.text()
  const [command, read, write] = await audited(id)
  expect(write).toMatchObject({
    kind: 'tool',
    actor: 'owner',
    sessionId: id,
    subject: 'write',
    outcome: 'ok',
    detail: { path: 'secret.txt', bytes: 14 },
  })
  expect(write!.workspaceId).not.toBeNull()
  expect(read).toMatchObject({ subject: 'read', outcome: 'refused', detail: { path: 'no\0where' } })
  expect(command).toMatchObject({
    subject: 'command',
    outcome: 'ok',
    detail: { command: 'exit 7', exitCode: 7, variables: ['KEY'] },
  })
  expect((await audited())[0]).toMatchObject({ outcome: 'ok', detail: { stream: true, exitCode: 0 } })
  expect(JSON.stringify(await audited(id))).not.toMatch(/CONTENTS-OF-IT|VALUE-OF-IT/)
  const usage = await box.call('GET', `/usage?sessionId=${id}`)
  expect(usage.body.data).toMatchObject({ calls: 3, refused: 1, failed: 0 })
  expect(usage.body.data.parts.map(({ tool }: { tool: string }) => tool)).toEqual([
    'command',
    'read',
    'write',
  ])
})

test('a worker that is killed is away for a moment, and the workspace is as it was', async () => {
  await tool('write', { path: 'kept.txt', content: 'kept' })
  const mark = `signalbox-killed-${newId()}`
  const long = tool('command', { command: `sh -c 'sleep 500; : ${mark}'`, timeout: 60_000 })
  await expect.poll(() => lives(mark), patience).toBe(true)
  await killChild(box, 'worker')
  expect(codeOf(await long)).toEqual([503, 'machine_unavailable'])
  await expect
    .poll(async () => (await tool('read', { path: 'kept.txt' })).body.data?.content, patience)
    .toBe('kept')
  await expect.poll(() => lives(mark), patience).toBe(false) // whoever asked is gone
})

test('numbers for Prometheus are for the owner', async () => {
  const read = (token?: string) =>
    fetch(`${box.url}/metrics`, token ? { headers: { authorization: `Bearer ${token}` } } : {})
  expect((await read()).status).toBe(401)
  expect((await read(await addUser('Dave', ['tools', 'board']))).status).toBe(403)
  const text = await (await read(box.token)).text()
  for (const line of [
    /^signalbox_tool_calls_total\{tool="write",outcome="ok"\} [1-9]/m,
    /^signalbox_tool_call_duration_seconds_count\{tool="read"\} [1-9]/m,
    /^signalbox_workspaces\{driver="folder",state="ready"\} 1$/m,
    /^signalbox_approvals_waiting 0$/m,
    /^signalbox_machines\{state="up"\} 1$/m,
    /^process_resident_memory_bytes \d/m,
  ])
    expect(text).toMatch(line)
})
