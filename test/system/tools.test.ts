import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readBoard } from '../support/board-reader.ts'
import { killChild } from '../support/kill-child.ts'
import { startWorker } from '../support/lone-worker.ts'
import { freshDatabase } from '../support/postgres.ts'
import { call, startSignalbox } from '../support/signalbox.ts'
import type { Answer, Signalbox } from '../support/signalbox.ts'

const patience = { timeout: 20_000 }
const root = join(import.meta.dirname, '../..')
const server = join(root, 'test/support/patient-mcp-server.ts')
const secret = 'secret-that-nobody-reads'
let box: Signalbox
let home = ''

const start = () =>
  startSignalbox({ home, env: { GREETING_OF_MINE: 'Good day', SIGNALBOX_CONFIG: join(home, 'config.yaml') } })

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'signalbox-tools-'))
  writeFileSync(join(home, 'config.yaml'), yaml('written'))
  writeFileSync(
    join(home, 'mcp-config.json'),
    JSON.stringify({ mcpServers: { filed: { command: process.execPath, args: [server] } } }),
  )
  box = await start()
}, 60_000)
afterAll(async () => {
  await box?.stop()
  await rm(home, { recursive: true, force: true })
})

const yaml = (name: string) =>
  `mcp: { servers: { ${name}: { transport: stdio, command: ${process.execPath}, args: [${server}] } } }\n`
const patient = (more: object = {}) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [server],
  env: { GREETING: '${GREETING_OF_MINE}', TOKEN: secret },
  ...more,
})
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
const say = (name: string, text = 'hi'): Promise<Answer> =>
  box.call('POST', `/tools/${name}/call`, { args: { text } })
const health = async (name: string) =>
  (await box.call('GET', '/mcp/health')).body.data.servers.find((one: { name: string }) => one.name === name)
const restOf = ({ data: { result } }: Answer['body']) => {
  const { _meta: meta } = result
  return meta['signalbox/rest'] as { handle: string; offset: number; total: number }
}
const isGone = (pid: number) => !existsSync(`/proc/${pid}`)

describe('a source over the API', () => {
  test('is registered, told, listed with its health, and its tools are called', async () => {
    const board = await readBoard(box.url, box.token)
    const { status, body } = await box.call('POST', '/mcp/add', { name: 'patient', config: patient() })
    expect([status, body.data]).toMatchObject([
      201,
      { name: 'patient', origin: 'api', config: { env: { GREETING: '${GREETING_OF_MINE}', TOKEN: '•••' } } },
    ])
    await expect
      .poll(() => health('patient'), patience)
      .toMatchObject({ status: 'healthy', tools: 2, error: null })
    await board.until(({ type }) => type === 'mcpAdded')
    await board.until(
      ({ type, payload }) => type === 'source.changed' && (payload as { tools: number }).tools === 2,
    )
    await board.stop()
    const tools = await box.call('GET', '/tools?source=patient')
    expect(Object.keys(tools.body.data.namespaces)).toEqual(['patient'])
    expect(tools.body.data.namespaces.patient.tools).toMatchObject([
      { name: 'patient.say_back', wireName: 'patient__say_back', source: 'patient', definition: 'pinned' },
      { name: 'patient.wait_for' },
    ])
    const etag = tools.headers.get('etag') ?? ''
    const headers = { authorization: `Bearer ${box.token}`, 'if-none-match': etag }
    expect((await fetch(`${box.url}/api/tools?source=patient`, { headers })).status).toBe(304)
    for (const name of ['patient.say_back', 'patient__say_back'])
      expect((await say(name)).body.data.result.content).toEqual([{ type: 'text', text: 'Good day: hi' }])
    const { body: audit } = await box.call('GET', '/audit?kind=tool')
    expect(audit.data[0]).toMatchObject({ actor: 'owner', subject: 'patient.say_back', outcome: 'ok' })
  })

  test('is refused with the field when it does not fit', async () => {
    const add = (config: unknown, name = 'other') => box.call('POST', '/mcp/add', { name, config })
    expect(codeOf(await add(patient(), 'patient'))).toEqual([409, 'source_name_taken'])
    for (const [config, field] of [
      [{ transport: 'stdio' }, 'config.command'],
      [{ transport: 'pigeon' }, 'config.transport'],
      [{ transport: 'http' }, 'config.url'],
      [patient({ command: 'no-such-program-here' }), 'config.command'],
      [patient({ cwd: '/' }), 'config.cwd'],
      [patient({ timeout: 'soon' }), 'config.timeout'],
      [{ transport: 'http', url: `${box.url}/mcp` }, 'config.url'],
      [{ transport: 'openapi', document: 'hello' }, 'config.document'],
      [{ transport: 'langchain', module: '/etc/passwd' }, 'config.module'],
    ] as const) {
      const answer = await add(config)
      expect([...codeOf(answer), answer.body.error.context.fields[0].field]).toEqual([
        400,
        'bad_source',
        field,
      ])
    }
    expect(codeOf(await add(patient(), 'board'))).toEqual([400, 'bad_source'])
    expect(codeOf(await box.call('POST', '/mcp/add', '{"name": '))).toEqual([400, 'bad_json'])
    expect(codeOf(await say('patient.nothing'))).toEqual([404, 'tool_not_found'])
    expect(codeOf(await box.call('POST', '/tools/patient.say_back/call', { args: {} }))).toEqual([
      422,
      'does_not_fit',
    ])
  })

  test('reads on in an answer that was cut', async () => {
    const args = { text: 'x'.repeat(1024), times: String(11 * 1024) }
    const { body } = await box.call('POST', '/tools/patient.say_back/call', { args })
    const { handle, offset, total } = restOf(body)
    expect(offset).toBeLessThan(total)
    const more = await box.call('POST', '/tools/read_result/call', { args: { handle, offset } })
    expect(more.body.data.result.content[0].text).toMatch(/^x{1000000}$/)
    expect(restOf(more.body)).toEqual({ handle, offset: offset + 1_000_000, total })
    expect(codeOf(await box.call('POST', '/tools/read_result/call', { args: { offset } }))).toEqual([
      422,
      'does_not_fit',
    ])
    const nowhere = { handle: `${handle}x` }
    expect(codeOf(await box.call('POST', '/tools/read_result/call', { args: nowhere }))).toEqual([
      422,
      'does_not_fit',
    ])
  })

  test('times out as its tools do', async () => {
    await box.call('PATCH', '/mcp/patient', { timeout: 300 })
    const args = { file: join(box.work, 'never'), begun: join(box.work, 'begun') }
    expect(codeOf(await box.call('POST', '/tools/patient.wait_for/call', { args }))).toEqual([
      408,
      'tool_timed_out',
    ])
    await box.call('PATCH', '/mcp/patient', { timeout: 30_000 })
  })

  test('is the owner’s to register; others use what is granted to them', async () => {
    const { body } = await box.call('POST', '/users', { name: 'ada', scopes: ['tools'] })
    const ada = (method: string, path: string, input?: unknown) =>
      call(box.url, body.data.token, method, path, input)
    for (const [method, path, input] of [
      ['POST', '/mcp/add', { name: 'mine', config: patient() }],
      ['POST', '/mcp/import', { from: 'claude' }],
      ['POST', '/mcp/patient/retry', undefined],
      ['PATCH', '/mcp/patient', { enabled: false }],
      ['DELETE', '/mcp/patient', undefined],
      ['POST', '/tools/patient.say_back/accept', undefined],
    ] as const)
      expect(codeOf(await ada(method, path, input))).toEqual([403, 'forbidden'])
    const seen = (await ada('GET', '/mcp')).body.data.find(({ name }: { name: string }) => name === 'patient')
    expect(seen.config).toMatchObject({ transport: 'stdio', args: [], env: {} })
    expect(seen.config.command).toBeUndefined()
    expect((await ada('POST', '/tools/patient.say_back/call', { args: { text: 'x' } })).status).toBe(200)
    await box.call('PATCH', '/mcp/patient', { grants: ['agents'] })
    expect(codeOf(await ada('POST', '/tools/patient.say_back/call', { args: { text: 'x' } }))).toEqual([
      404,
      'tool_not_found',
    ])
    for (const path of ['/mcp', '/mcp/health', '/tools'])
      expect(JSON.stringify((await ada('GET', path)).body)).not.toMatch(/"patient[".]/)
    expect((await say('patient.say_back')).status).toBe(200)
    const { body: none } = await box.call('POST', '/users', { name: 'bob', scopes: ['board'] })
    expect(codeOf(await call(box.url, none.data.token, 'GET', '/tools'))).toEqual([403, 'forbidden'])
    await box.call('PATCH', '/mcp/patient', { grants: ['*'] })
  })
})

describe('sources that are written down', () => {
  test('come from the YAML file, and change with it', async () => {
    await expect.poll(() => health('written'), patience).toMatchObject({ status: 'healthy' })
    expect(codeOf(await box.call('DELETE', '/mcp/written'))).toEqual([409, 'source_in_file'])
    expect(codeOf(await box.call('PATCH', '/mcp/written', { enabled: false }))).toEqual([
      409,
      'source_in_file',
    ])
    const { pid } = await health('written')
    writeFileSync(join(home, 'config.yaml'), yaml('renamed'))
    box.process.kill('SIGHUP')
    await expect.poll(() => health('renamed'), patience).toMatchObject({ status: 'healthy' })
    await expect.poll(() => health('written'), patience).toBeUndefined()
    await expect.poll(() => isGone(pid), patience).toBe(true)
  })

  test('come from mcp-config.json, which has all of them without their secrets', async () => {
    await expect.poll(() => health('filed'), patience).toMatchObject({ status: 'healthy' })
    const file = join(home, 'mcp-config.json')
    const content = readFileSync(file, 'utf8')
    expect(Object.keys(JSON.parse(content).mcpServers).toSorted()).toEqual(['filed', 'patient', 'renamed'])
    expect(JSON.parse(content).mcpServers.patient.env).toEqual({
      GREETING: '${GREETING_OF_MINE}',
      TOKEN: '${TOKEN}',
    })
    expect(content).not.toContain(secret)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

describe('a worker that is killed in a call', () => {
  test('leaves no process behind, and the next one has all sources again', async () => {
    const begun = join(box.work, 'begun-before-the-kill')
    const args = { file: join(box.work, 'never'), begun }
    const calling = box.call('POST', '/tools/patient.wait_for/call', { args })
    await expect.poll(() => existsSync(begun) && readFileSync(begun, 'utf8') !== '', patience).toBe(true)
    const pid = Number(readFileSync(begun, 'utf8'))
    await killChild(box, 'worker')
    expect(codeOf(await calling)).toEqual([503, 'machine_unavailable'])
    await expect.poll(() => isGone(pid), patience).toBe(true)
    await expect.poll(async () => (await say('patient.say_back')).status, patience).toBe(200)
    expect((await health('patient')).pid).not.toBe(pid)
  })
})

/** Offers one tool twice, and two whose names become the same. */
const twins = `
import { createInterface } from 'node:readline'
const results = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 't', version: '1' } },
  'tools/list': { tools: ['get.user', 'get_user', 'get.user'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const error = { code: -32601, message: 'unknown' }
  if (id !== undefined)
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(results[method] ? { result: results[method] } : { error }) }))
})
`

describe('signalbox tools', () => {
  const run = promisify(execFile)
  const cli = (...args: string[]) =>
    run(process.execPath, [join(root, 'src/main/signalbox.ts'), 'tools', ...args], {
      env: { PATH: process.env['PATH'], HOME: home, SIGNALBOX_HOME: home },
    })

  test('lists, calls, adds, removes, imports and tells the health', async () => {
    expect((await cli('ls', '--source', 'patient')).stdout).toMatch(/patient\.say_back +Says back/)
    expect((await cli('call', 'patient.say_back', '{"text": "there"}')).stdout).toBe('Good day: there\n')
    expect((await cli('call', 'patient.say_back', '--arg', 'text=there')).stdout).toBe('Good day: there\n')
    expect((await cli('add', 'mine', '--', process.execPath, server)).stdout).toMatch(/^Added mine: /)
    await expect.poll(() => health('mine'), patience).toMatchObject({ status: 'healthy' })
    expect((await cli('health')).stdout).toMatch(/healthy +mine/)
    expect((await cli('accept', 'patient.say_back')).stdout).toBe(
      'patient.say_back is accepted as it is now.\n',
    )
    writeFileSync(join(home, 'twins.mjs'), twins)
    expect((await cli('add', 'twins', '--', process.execPath, join(home, 'twins.mjs'))).stdout).toMatch(
      /^Added twins: /,
    )
    await expect.poll(() => health('twins'), patience).toMatchObject({ status: 'healthy', tools: 2 })
    expect((await cli('ls', '--source', 'twins')).stderr).toMatch(/get[._]user/)
    expect((await cli('ls', '--source', 'patient')).stderr).toBe('')
    await cli('rm', 'twins')
    const { pid } = await health('mine')
    expect((await cli('rm', 'mine')).stdout).toBe('Removed mine.\n')
    await expect.poll(() => isGone(pid), patience).toBe(true)
    writeFileSync(
      join(home, '.claude.json'),
      JSON.stringify({ mcpServers: { theirs: { command: process.execPath, args: [server] } } }),
    )
    expect((await cli('import', 'claude', '--dry-run')).stdout).toBe('Would take theirs\n')
    expect(JSON.parse((await cli('import', 'claude', '--json')).stdout)).toEqual({
      imported: ['theirs'],
      skipped: [],
    })
    await expect(cli('rm', 'nobody')).rejects.toMatchObject({ stderr: 'There is no source nobody\n' })
  })
})

describe('after a restart', () => {
  test('everything is there again, and nothing of before is left', async () => {
    const pids = (await box.call('GET', '/mcp/health')).body.data.servers.map(
      ({ pid }: { pid: number }) => pid,
    )
    expect(pids).toHaveLength(4)
    expect(await box.stop()).toBe(0)
    for (const pid of pids) expect(isGone(pid)).toBe(true)
    box = await start()
    for (const name of ['patient', 'renamed', 'filed', 'theirs'])
      await expect.poll(() => health(name), patience).toMatchObject({ status: 'healthy' })
    expect((await say('patient.say_back')).body.data.result.content[0].text).toBe('Good day: hi')
    const { body } = await box.call('GET', '/mcp')
    expect(body.data.map(({ name, origin }: { name: string; origin: string }) => [name, origin])).toEqual([
      ['filed', 'file'],
      ['patient', 'api'],
      ['renamed', 'yaml'],
      ['theirs', 'import'],
    ])
    const { status } = await box.call('DELETE', '/mcp/patient')
    expect(status).toBe(204)
    expect(codeOf(await say('patient.say_back'))).toEqual([404, 'tool_not_found'])
  })
})

describe('a worker on its own', () => {
  test('ends the programs of its sources when it is told to go', async () => {
    const database = await freshDatabase()
    const alone = await mkdtemp(join(tmpdir(), 'signalbox-alone-'))
    writeFileSync(join(alone, 'signalbox.config.yaml'), yaml('written'))
    const worker = startWorker(alone, database.url)
    onTestFinished(async () => {
      worker.process.kill('SIGKILL')
      await worker.exited
      await database.drop()
      await rm(alone, { recursive: true, force: true })
    })
    const begun = () => childrenOf(worker.process.pid).filter(({ command }) => command.includes(server))
    await expect.poll(begun, patience).toHaveLength(1)
    const [program] = begun()
    worker.process.kill('SIGTERM')
    expect(await worker.exited).toBe(0)
    expect(isGone(program?.pid ?? 0)).toBe(true)
  })
})

/** The processes that this one has begun itself. */
const childrenOf = (parent: number | undefined): { pid: number; command: string }[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        const isIts = readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${parent}\n`)
        return isIts ? [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }] : []
      } catch {
        return [] // it has just ended
      }
    })
