import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { CodeMessage } from '#contract/execute.ts'
import { killChild } from '../support/kill-child.ts'
import { call, startSignalbox } from '../support/signalbox.ts'
import type { Answer, Signalbox } from '../support/signalbox.ts'

// Code that calls a real server of MCP, through the running product.

const patience = { timeout: 20_000, interval: 50 }
const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'signalbox-code-'))
const calls = join(folder, 'calls')
const mcp = ['mcp:calc']
let box: Signalbox
let ada: { id: string; token: string }
let bob: { id: string; token: string }

beforeAll(async () => {
  writeFileSync(calls, '')
  box = await startSignalbox()
  const config = {
    transport: 'stdio',
    command: process.execPath,
    args: [join(root, 'test/support/code-mcp-server.ts')],
    env: { CALLS: calls },
  }
  await box.call('POST', '/mcp/add', { name: 'calc', config })
  const isHealthy = async () =>
    (await box.call('GET', '/mcp/health')).body.data.servers.some(
      (one: { name: string; status: string }) => one.name === 'calc' && one.status === 'healthy',
    )
  await vi.waitUntil(isHealthy, patience)
  const user = async (name: string) =>
    (await box.call('POST', '/users', { name, scopes: ['code', 'tools'] })).body.data
  ada = await user('Ada')
  bob = await user('Bob')
}, 60_000)
afterAll(async () => {
  await box?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const run = (code: string, more: object = {}, token = box.token): Promise<Answer> =>
  call(box.url, token, 'POST', '/execute', { code, ...more })
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
const errorOf = ({ status, body }: Answer) => [status, body.data?.success, body.data?.error?.code]
const callsOf = (tool: string) =>
  readFileSync(calls, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(tool))
const figures = async () => {
  const headers = { authorization: `Bearer ${box.token}` }
  return (await fetch(`${box.url}/metrics`, { headers })).text()
}
const decide = (id: string, decision: string) => box.call('POST', `/approvals/${id}`, { decision })
const resultOf = async (requestId: string) => {
  const read = () => box.call('GET', `/execute/${requestId}`)
  await expect.poll(async () => (await read()).status, patience).toBe(200)
  return (await read()).body.data
}

describe('POST execute', () => {
  it('checks, runs, logs and measures code that calls tools, and is not there before', async () => {
    expect(await figures()).not.toContain('signalbox_code')
    const code = `
      const { sum } = await mcp.calc.add({ a: 1, b: 2 })
      const more: number = (await mcp.calc.add(sum, context.more)).sum
      console.log('first', sum)
      return { sum: more }`
    const { status, body } = await run(code, { capabilities: mcp, context: { more: 4 } })
    expect([status, body.data]).toMatchObject([
      200,
      { success: true, result: { sum: 7 }, logs: ['first 3'], metrics: { apiCalls: 2 } },
    ])
    const { body: audit } = await box.call('GET', '/audit?kind=code')
    expect(audit.data[0]).toMatchObject({ actor: 'owner', kind: 'code', outcome: 'ok' })
    expect(await figures()).toMatch(/^signalbox_code_runs_total\{outcome="ok",machine="[^"]+"\} 1$/m)
  })

  it('tells what is wrong with code, and where', async () => {
    const typed = await run('const a = 1\nreturn await mcp.calc.add({ a, b: "2" })', { capabilities: mcp })
    expect(errorOf(typed)).toEqual([200, false, 'TYPE_ERROR'])
    expect(typed.body.data.error.details.diagnostics[0]).toMatchObject({ line: 2 })
    expect(errorOf(await run('return await mcp.calc.add({ a: 1', { capabilities: mcp }))[2]).toBe(
      'SYNTAX_ERROR',
    )
    expect(errorOf(await run('return await mcp.calc.fail()', { capabilities: mcp }))[2]).toBe('MCP_ERROR')
    expect(errorOf(await run('for (;;) {}', { timeout: 300 }))[2]).toBe('EXECUTION_TIMEOUT')
    expect(errorOf(await run('throw new Error("no")'))[2]).toBe('RUNTIME_ERROR')
    const bomb = 'const a = []; for (;;) a.push("x".repeat(100_000) + a.length)'
    expect(errorOf(await run(bomb, { memoryLimit: '4MB' }))[2]).toBe('MEMORY_LIMIT')
    const unnamed = await run('return await (mcp as any).calc.add({ a: 1, b: 2 })')
    expect(errorOf(unnamed).slice(0, 2)).toEqual([200, false])
    const caught = 'try { await mcp.calc.fail() } catch (error: any) { return [error.type, error.code] }'
    expect((await run(caught, { capabilities: mcp })).body.data.result).toEqual(['mcp', 'MCP_ERROR'])
    expect(callsOf('fail')).toHaveLength(2)
  })

  it('refuses what does not fit', async () => {
    expect(codeOf(await run('return 1', { capabilities: ['levitate:high'] }))).toEqual([422, 'does_not_fit'])
    expect(codeOf(await run('return 1', { sessionId: ada.id }))).toEqual([404, 'session_not_found'])
    expect(codeOf(await run('return 1', {}, 'nobody'))).toEqual([401, 'unauthenticated'])
    expect(codeOf(await box.call('POST', '/execute', 'return 1'))).toEqual([400, 'bad_json'])
    const network = await run('return 1', { capabilities: ['network:example.com'] }, ada.token)
    expect(errorOf(network)).toEqual([200, false, 'CAPABILITY_VIOLATION'])
  })

  it('runs many at once, each with its own', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        run(
          'return (await mcp.calc.add({ a: context, b: 1 })).sum',
          {
            capabilities: mcp,
            context: n,
            check: n % 3 === 0,
          },
          n % 2 ? ada.token : box.token,
        ),
      ),
    )
    expect(answers.map(({ body }) => body.data.result)).toEqual(answers.map((_, n) => n + 1))
  })

  it('is there for nobody without its scope, and its API for whoever has tools', async () => {
    const { body } = await box.call('POST', '/users', { name: 'Reader', scopes: ['board'] })
    expect(codeOf(await run('return 1', {}, body.data.token))).toEqual([403, 'forbidden'])
    const headers = { authorization: `Bearer ${ada.token}` }
    const api = await fetch(`${box.url}/api/v1/tools/api.d.ts?namespace=calc`, { headers })
    expect([api.status, await api.text()]).toEqual([200, expect.stringContaining('add(args: { a: number')])
  })
})

describe('a run that waits for a person', () => {
  const remove = 'return await mcp.calc.remove_file({ name: context })'

  it('is frozen, read and cancelled by whose it is alone, and goes on with the answer', async () => {
    const { status, body } = await run(remove, { capabilities: mcp, context: 'one' }, ada.token)
    const { requestId, approvals } = body.data
    expect([status, approvals]).toMatchObject([202, [{ tool: 'calc.remove_file' }]])
    const ask = (method: string, token: string) => call(box.url, token, method, `/execute/${requestId}`)
    expect((await ask('GET', ada.token)).status).toBe(202)
    expect(codeOf(await ask('GET', bob.token))).toEqual([404, 'code_run_not_found'])
    expect(codeOf(await ask('DELETE', bob.token))).toEqual([404, 'code_run_not_found'])
    expect(callsOf('remove_file')).toEqual([])
    expect((await decide(approvals[0].id, 'granted')).status).toBe(200)
    expect(await resultOf(requestId)).toMatchObject({ success: true, result: 'removed one' })
    expect(callsOf('remove_file')).toEqual(['remove_file {"name":"one"}'])
    expect(codeOf(await ask('DELETE', ada.token))).toEqual([409, 'code_run_ended'])
  })

  it('hears a no, may be cancelled, and is not asked about what was confirmed', async () => {
    const refused = await run(remove, { capabilities: mcp, context: 'two' })
    await decide(refused.body.data.approvals[0].id, 'refused')
    expect(await resultOf(refused.body.data.requestId)).toMatchObject({
      success: false,
      error: { type: 'mcp' },
    })
    const left = await run(remove, { capabilities: mcp, context: 'three' })
    const { requestId, approvals } = left.body.data
    expect((await box.call('DELETE', `/execute/${requestId}`)).status).toBe(204)
    expect(await resultOf(requestId)).toMatchObject({ success: false })
    expect((await decide(approvals[0].id, 'granted')).status).toBe(409)
    const confirmed = await run(remove, { capabilities: mcp, context: 'four', confirm: true })
    expect([confirmed.status, confirmed.body.data.result]).toEqual([200, 'removed four'])
    expect(callsOf('remove_file').filter((line) => /two|three/.test(line))).toEqual([])
  })
})

/** A socket, and what was heard on it. */
async function openSocket(query = '') {
  const headers = query ? {} : { authorization: `Bearer ${box.token}` }
  const socket = new WebSocket(`${box.url.replace('http', 'ws')}/api/v1/execute/ws${query}`, { headers })
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into payloads of every shape
  const heard: (CodeMessage & { payload: any })[] = []
  socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString('utf8'))))
  await once(socket, 'open')
  return {
    socket,
    heard,
    say: (id: string, type: string, payload?: unknown) => socket.send(JSON.stringify({ id, type, payload })),
    first: async (id: string, type: string) => {
      const found = () => heard.find((message) => message.id === id && message.type === type)
      await expect.poll(found, patience).toBeDefined()
      return found()!.payload
    },
  }
}

describe('execute/ws', () => {
  it('opens with a ticket, once', async () => {
    const { ticket } = (await box.call('POST', '/auth/ticket')).body.data
    const { socket, say, first } = await openSocket(`?ticket=${ticket}`)
    say('a', 'execute', { code: 'return 1 + 1' })
    expect((await first('a', 'result')).result).toBe(2)
    socket.close()
    await expect(openSocket(`?ticket=${ticket}`)).rejects.toThrow('401')
  })

  it('tells logs while it runs, cancels, and waits for persons', async () => {
    const { socket, say, first, heard } = await openSocket()
    say('slow', 'execute', {
      code: 'console.log("on it")\nawait new Promise((done) => setTimeout(done, 60_000))',
      timeout: 90_000,
    })
    expect(await first('slow', 'log')).toEqual({ level: 'info', message: 'on it' })
    say('quick', 'execute', { code: 'return context', options: { context: 5 } })
    expect((await first('quick', 'result')).result).toBe(5)
    say('slow', 'cancel')
    expect(await first('slow', 'result')).toMatchObject({ success: false, error: { code: 'RUNTIME_ERROR' } })
    say('asks', 'execute', {
      code: 'return [await mcp.calc.remove_file("five"), await mcp.calc.remove_file("six")]',
      capabilities: mcp,
    })
    const { approvals } = await first('asks', 'log')
    await decide(approvals[0].id, 'granted')
    const questions = () => heard.filter(({ id, type }) => id === 'asks' && type === 'log')
    await expect.poll(() => questions().length, patience).toBe(2)
    await decide(questions()[1]!.payload.approvals[0].id, 'granted')
    expect((await first('asks', 'result')).result).toEqual(['removed five', 'removed six'])
    socket.close()
  })

  it('is waited for although the worker was killed meanwhile', async () => {
    const { socket, say, first } = await openSocket()
    say('asks', 'execute', { code: 'return await mcp.calc.remove_file("seven")', capabilities: mcp })
    const { approvals } = await first('asks', 'log')
    await killChild(box, 'worker')
    await decide(approvals[0].id, 'granted')
    expect(await first('asks', 'result')).toMatchObject({ result: 'removed seven' })
    expect(callsOf('remove_file {"name":"seven"}')).toHaveLength(1)
    socket.close()
  })
})

describe('signalbox exec', () => {
  function exec(args: string[], code: string) {
    const env = { PATH: process.env['PATH'], SIGNALBOX_URL: box.url, SIGNALBOX_TOKEN: box.token }
    const child = spawn(process.execPath, [join(root, 'src/main/signalbox.ts'), 'exec', '-', ...args], {
      env,
    })
    child.stdin.end(code)
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece))
    const over = Promise.all([once(child, 'exit'), text(child.stdout)])
    return { child, said: () => said, over: async () => [(await over)[0][0], (await over)[1]] as const }
  }

  it('prints the result, and an error with its line', async () => {
    const fine = exec(['--cap', 'mcp:calc'], 'console.log("hi")\nreturn await mcp.calc.add(1, 2)')
    expect([await fine.over(), fine.said()]).toEqual([[0, '{\n  "sum": 3\n}\n'], 'hi\n'])
    const wrong = exec([], 'const a: number = "b"')
    expect(await wrong.over()).toEqual([1, ''])
    expect(wrong.said()).toMatch(/^TYPE_ERROR: .*\n {2}stdin:1:\d+\n {2}1 \| const a: number = "b"\n +\^\n/)
  })

  it('waits for a person, and is cancelled by Ctrl-C', async () => {
    const waits = exec(['--cap', 'mcp:calc'], 'return await mcp.calc.remove_file("eight")')
    await expect.poll(waits.said, patience).toContain('signalbox approve')
    const [, short = ''] = /signalbox approve (\w+)/.exec(waits.said()) ?? []
    const { body } = await box.call('GET', '/approvals?status=waiting')
    const asked = body.data.find(({ id }: { id: string }) => id.endsWith(short))
    await decide(asked.id, 'granted')
    expect(await waits.over()).toEqual([0, 'removed eight\n'])
    const stuck = exec([], 'console.log("begun")\nawait new Promise((done) => setTimeout(done, 20_000))')
    await expect.poll(stuck.said, patience).toContain('begun')
    stuck.child.kill('SIGINT')
    expect((await stuck.over())[0]).toBe(130)
  })
})
