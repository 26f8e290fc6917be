import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inside } from '#contract/host.ts'
import type { WorkspaceDriver } from '#contract/workspace.ts'
import { livingKeepers } from '../faults/executions/faults.ts'
import { testEngine } from '../support/docker.ts'
import { killChild } from '../support/kill-child.ts'
import { freePort, previewed } from './preview.ts'
import { allow, ask, done, ended, openPlace, openSessionIn, patience, said, use } from './place.ts'
import type { Place } from './place.ts'

// What every driver promises alike, through the running product: files, commands, agents, and nothing lost.

const drivers: WorkspaceDriver[] = ['folder', 'sandbox', 'docker']

describe.each(drivers)('a workspace of the driver %s', (driver) => {
  let place: Place
  let sessionId: string
  let workspaceId: string

  beforeAll(async () => {
    place = await openPlace(driver === 'docker' ? await engineEnv() : {})
    ;({ sessionId, workspaceId } = await openSessionIn(place, driver))
  }, 120_000)
  afterAll(async () => {
    await place?.close()
  })

  const tool = async (name: string, input: object) => done(await use(place, sessionId, name, input))
  const refusal = async (name: string, input: object) => {
    const { status, body } = await use(place, sessionId, name, input)
    return [status, body.error?.code]
  }

  it('is healthy, and is told to work here', async () => {
    const drivers = done(await place.box.call('GET', '/workspaces/drivers'))[0].drivers
    expect(drivers.find((one: { driver: string }) => one.driver === driver)).toMatchObject({ works: true })
    expect(done(await place.box.call('GET', `/sessions/${sessionId}/tools/health`))).toMatchObject({
      status: 'ok',
    })
  })

  it('finds files by name and by content', async () => {
    const paths = async (input: object) =>
      (await tool('search', input)).files.map((file: { path: string }) => file.path)
    expect(await paths({ pattern: '*.ts' })).toEqual(['src/one.ts', 'src/two.ts'])
    expect(await paths({ pattern: 'src/**/*.ts' })).toEqual(['src/one.ts', 'src/two.ts'])
    expect(await paths({ pattern: 'one\\.ts$', type: 'regex' })).toEqual(['src/one.ts'])
    expect(await paths({ pattern: 'README.md', type: 'exact' })).toEqual(['README.md'])
    expect(await paths({ pattern: 'readme.md', type: 'exact', caseSensitive: false })).toEqual(['README.md'])
    const found = await tool('search', { pattern: 'two = \\d', type: 'content' })
    expect(found.files).toMatchObject([
      { path: 'src/two.ts', matches: [{ line: 1, text: 'export const two = 2' }] },
    ])
    expect(await tool('search', { pattern: '*.ts', limit: 1 })).toMatchObject({ truncated: true })
    expect(await refusal('search', { pattern: '(', type: 'regex' })).toEqual([422, 'bad_pattern'])
  })

  it('reads, writes, edits and lists', async () => {
    const read = await tool('read', { path: 'README.md' })
    expect(read).toMatchObject({
      path: 'README.md',
      content: '# A project\n\nIt is small.\n',
      lines: 3,
      size: 26,
    })
    expect((await tool('read', { path: '/workspace/README.md', range: { start: 3, end: 3 } })).content).toBe(
      'It is small.\n',
    )
    await tool('write', { path: 'deep/down/new.txt', content: 'hello\r\nthere\r\n' })
    const edited = await tool('edit', {
      path: 'deep/down/new.txt',
      find: 'hello\nthere',
      replace: 'good\nbye',
    })
    expect(edited).toMatchObject({ replacements: 1, path: 'deep/down/new.txt' })
    expect(edited.diff).toContain('+good')
    expect((await tool('read', { path: 'deep/down/new.txt' })).content).toBe('good\r\nbye\r\n')
    expect((await tool('list', { path: 'deep' })).entries).toMatchObject([{ name: 'down', kind: 'folder' }])
    expect(await refusal('edit', { path: 'README.md', find: 'It was small', replace: '' })).toEqual([
      422,
      'no_match',
    ])
    expect(await refusal('edit', { path: 'README.md', find: 'l', replace: '' })).toEqual([
      422,
      'many_matches',
    ])
    expect(
      await refusal('edit', { path: 'README.md', find: 'A', replace: 'B', expectedHash: '0'.repeat(64) }),
    ).toEqual([409, 'file_changed'])
    expect(await refusal('read', { path: 'nothing' })).toEqual([404, 'path_not_found'])
    expect(await refusal('read', { path: 'src' })).toEqual([422, 'not_a_file'])
  })

  it('lets nothing out of its root', async () => {
    await tool('command', {
      command:
        'ln -sfn / all; ln -sfn /etc etc; ln -sfn /proc/self/root rooted; ln -sfn ../../../../../../etc/passwd up; mkfifo -m 600 pipe 2>/dev/null; ln -sfn /dev/zero zero; true',
    })
    const outside = [
      '../x',
      '/etc/passwd',
      '/etc/../etc/passwd',
      'src/../../x',
      'all/etc/passwd',
      'etc/passwd',
      'rooted/etc/passwd',
      'up',
      '/proc/self/root/etc/passwd',
    ]
    for (const path of outside) {
      const [status, code] = await refusal('read', { path })
      expect([path, status, code]).toEqual([path, 403, 'path_outside'])
      const [written] = await refusal('write', { path, content: 'x' })
      expect([path, written]).toEqual([path, 403])
    }
    expect(await refusal('read', { path: 'zero' })).toEqual([403, 'path_outside'])
    expect(await refusal('read', { path: 'pipe' })).toEqual([422, 'special_file'])
    expect((await refusal('read', { path: 'a\0b' }))[0]).toBe(422)
    expect((await refusal('read', { path: 'x/'.repeat(3000) }))[0]).toBe(422)
    expect((await refusal('read', { path: '%2e%2e/%2e%2e/etc/passwd' }))[0]).toBe(404)
  })

  it('keeps a write that is held to some of its paths from leading anywhere else', async () => {
    await tool('command', {
      command:
        'mkdir -p held; echo kept > beside.txt; ln -sfn ../beside.txt held/file; ln -sfn .. held/root; ln -sfn ../none.txt held/none',
    })
    const within = ['held']
    for (const path of ['held/file', 'held/root/new.txt', 'held/none', 'beside.txt'])
      expect(await refusal('write', { path, content: 'x', within })).toEqual([403, 'path_not_granted'])
    expect(await tool('write', { path: 'held/own.txt', content: 'x', within })).toMatchObject({
      path: 'held/own.txt',
    })
    expect(
      await tool('command', { command: 'cat beside.txt; ls new.txt none.txt 2>/dev/null' }),
    ).toMatchObject({
      stdout: 'kept\n',
    })
  })

  it('runs commands, bounded in time and output, and ends all that they started', async () => {
    const ran = await tool('command', { command: 'echo out; echo err >&2; pwd; exit 3', env: { A: 'b' } })
    expect(ran).toMatchObject({ stderr: 'err\n', exitCode: 3, signal: null, timedOut: false })
    expect(ran.stdout).toMatch(driver === 'folder' ? /^out\n\// : /^out\n\/workspace\n$/)
    expect((await tool('command', { command: 'echo $A', env: { A: 'b' } })).stdout).toBe('b\n')
    const late = await tool('command', { command: 'sleep 100 & while true; do :; done', timeout: 500 })
    expect(late).toMatchObject({ timedOut: true })
    expect(
      (await tool('command', { command: 'ps -e -o args= | grep -c "[s]leep 100" || true' })).stdout,
    ).toBe('0\n')
    for (const round of [1, 2, 3, 4, 5])
      await tool('command', { command: `sleep 30; echo on > went-on-${round}`, timeout: 300 })
    expect((await tool('search', { pattern: 'went-on-*' })).files).toEqual([])
    const long = await tool('command', { command: 'head -c 3000000 /dev/zero | tr "\\0" x' })
    expect(long.stdoutRest.bytes).toBe(3_000_000)
    const rest = await tool('output', { handle: long.stdoutRest.handle, offset: 2_999_990 })
    expect(rest).toMatchObject({ content: 'x'.repeat(10), next: null })
    expect(await refusal('command', { command: 'true', timeout: 61_000 })).toEqual([422, 'does_not_fit'])
  })

  it('streams a command', async () => {
    const { box } = place
    const response = await fetch(`${box.url}/api/v1/sessions/${sessionId}/tools/command`, {
      method: 'POST',
      headers: { authorization: `Bearer ${box.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ command: 'echo one; sleep 0.3; echo two', stream: true, timeout: 120_000 }),
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const text = await response.text()
    expect(text).toMatch(/event: stdout[^]*one[^]*event: stdout[^]*two[^]*event: result[^]*"exitCode":0/)
  })

  it('holds an agent: its turn, its question, its files', async () => {
    const { id } = await ask(place, sessionId, 'say I am here\nnote noted.txt word\nsay done')
    await allow(place, sessionId)
    expect(await ended(place, id)).toMatchObject({ status: 'succeeded', error: null })
    expect(await said(place, sessionId)).toContain('answered yes')
    expect((await tool('read', { path: 'noted.txt' })).content).toBe('word\n')
  })

  it('takes up the same conversation after its agent was killed', async () => {
    const first = await ask(place, sessionId, 'kill')
    expect((await ended(place, first.id)).status).toBe('failed')
    const second = await ask(place, sessionId, 'say again')
    expect((await ended(place, second.id)).status).toBe('succeeded')
    expect(await said(place, sessionId)).toContain('again')
  })

  it('goes on with a turn while the worker is killed, and asks once', async () => {
    const { id } = await ask(place, sessionId, 'note noted.txt again\nsay after')
    const waiting = async () =>
      (await place.box.call('GET', `/approvals?status=waiting&sessionId=${sessionId}`)).body.data.length
    await expect.poll(waiting, patience).toBe(1)
    await killChild(place.box, 'worker')
    await allow(place, sessionId)
    expect(await ended(place, id)).toMatchObject({ status: 'succeeded' })
    await expect
      .poll(
        async () => (await use(place, sessionId, 'read', { path: 'noted.txt' })).body.data?.content,
        patience,
      )
      .toBe('word\nagain\n')
  })

  it('ends a cancelled turn with everything that it started', async () => {
    const { id } = await ask(place, sessionId, 'child 1000\nstall')
    await expect
      .poll(async () => (await place.box.call('GET', `/executions/${id}`)).body.data.status, patience)
      .toBe('running')
    done(await place.box.call('POST', `/executions/${id}/cancel`), 202)
    expect((await ended(place, id)).status).toBe('cancelled')
  })

  it('comes back with its files after its keeper was killed', async () => {
    await tool('write', { path: 'kept.txt', content: 'still here' })
    for (const { identity } of livingKeepers(place.box.home)) process.kill(identity.pid, 'SIGKILL')
    await expect
      .poll(
        async () => (await use(place, sessionId, 'read', { path: 'kept.txt' })).body.data?.content,
        patience,
      )
      .toBe('still here')
  })

  it('lets out only what it may reach, and notes what it did not let out', async () => {
    if (driver === 'folder') return // it has no walls: drivers and doctor say so
    const asked = `{ host: '127.0.0.1', port: ${inside.proxyPort}, path: 'http://example.org/' }`
    const script = `require('http').get(${asked}, (r) => r.on('data', (t) => console.log(r.statusCode, String(t))))`
    const { stdout } = await tool('command', { command: `node -e "${script}"; echo $HTTPS_PROXY` })
    expect(stdout).toContain(`http://127.0.0.1:${inside.proxyPort}`)
    expect(stdout).toMatch(/^403 .*example\.org/)
    const direct =
      "require('net').connect(80, '1.1.1.1').on('connect', () => console.log('out')).on('error', (e) => console.log(e.code))"
    expect((await tool('command', { command: `node -e "${direct}"`, timeout: 20_000 })).stdout).not.toContain(
      'out\n',
    )
    const noted = async () =>
      (await place.box.call('GET', `/audit?workspaceId=${workspaceId}&kind=egress`)).body.data as object[]
    await expect
      .poll(noted, patience)
      .toEqual(
        expect.arrayContaining([expect.objectContaining({ subject: 'example.org:80', outcome: 'refused' })]),
      )
  })

  it('keeps its app alive, and shows it under a name of its own', async () => {
    const { box } = place
    const port = driver === 'folder' ? await freePort() : 8_000
    const app = { command: 'exec node app.mjs', port }
    const opened = await openSessionIn(place, driver, { app })
    // By when it began: in a namespace of its own every one of them has the same pid.
    const content = `import http from 'node:http'
const began = Date.now()
http.createServer((q, r) => { if (q.url === '/die') process.exit(1); r.end('the app ' + began) }).listen(${port}, '127.0.0.1')`
    done(await use(place, opened.sessionId, 'write', { path: 'app.mjs', content }))
    done(await use(place, opened.sessionId, 'app', { action: 'start' }))
    const { url } = done(await box.call('POST', `/workspaces/${opened.workspaceId}/preview`, {}), 201)
    const { host, pathname, search } = new URL(url)
    expect(host.split(':')[0]).toBe(`${opened.workspaceId}.localhost`)
    const first = await previewed(box.url, host, pathname + search)
    expect(first.status).toBe(303)
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? ''
    const seen = () => previewed(box.url, host, '/', { cookie })
    await expect.poll(async () => (await seen()).text, patience).toMatch(/^the app \d+$/)
    const before = (await seen()).text
    await previewed(box.url, host, '/die', { cookie })
    await expect.poll(async () => (await seen()).text, patience).not.toBe(before)
    await expect.poll(async () => (await seen()).text, patience).toMatch(/^the app \d+$/)
    expect((await previewed(box.url, host, '/')).status).toBe(401)
  })

  it('is saved as an archive, and another begins from it', async () => {
    const archive = done(await place.box.call('POST', `/workspaces/${workspaceId}/archive`, {}))
    expect(archive.bytes).toBeGreaterThan(100)
    const other = driver === 'folder' ? 'sandbox' : driver
    const from = done(
      await place.box.call('POST', '/workspaces', { driver: other, source: { archive: archive.name } }),
      201,
    )
    const { id } = done(
      await place.box.call('POST', '/sessions', { agentId: place.scripted.agentId, workspaceId: from.id }),
      201,
    )
    expect(done(await use(place, id, 'read', { path: 'kept.txt' })).content).toBe('still here')
  })

  it('is trashed and brought back whole', async () => {
    if (driver === 'folder') return // its files are the user's own: only forgotten, see workspaces.test.ts
    done(await place.box.call('DELETE', `/workspaces/${workspaceId}`))
    expect((await refusal('read', { path: 'kept.txt' }))[0]).toBe(409)
    done(await place.box.call('POST', `/workspaces/${workspaceId}/restore`))
    expect((await tool('read', { path: 'kept.txt' })).content).toBe('still here')
  })

  it('notes every call', async () => {
    const { data, meta } = (
      await place.box.call('GET', `/audit?sessionId=${sessionId}&kind=tool&pageSize=500`)
    ).body
    expect(meta.total).toBeGreaterThan(20)
    const outcomes = data.map((entry: { outcome: string }) => entry.outcome)
    expect(outcomes).toEqual(expect.arrayContaining(['ok', 'refused']))
  })
})

it('leaves no container behind', async () => {
  const { DOCKER_HOST } = await engineEnv()
  const words = ['-H', DOCKER_HOST, 'ps', '-aq', '--filter', 'label=signalbox.home']
  expect(execFileSync('docker', words, { encoding: 'utf8' })).toBe('')
})

async function engineEnv() {
  const { address, image } = await testEngine()
  return { DOCKER_HOST: address, WORKSPACE_IMAGE: image }
}
