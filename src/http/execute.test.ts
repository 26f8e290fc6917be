import { expect, test } from 'vitest'
import { approvals } from '#db/schema.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { keepRun, openCodeWeb } from '../../test/support/code-web.ts'
import type { Answer } from '../../test/support/signalbox.ts'

const patience = { timeout: 20_000, interval: 20 }
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]

test('answers with the result, also of code that fails, and with 202 for what waits for a person', async () => {
  const web = await openCodeWeb()
  const run = (code: string, more: object = {}) => web.call('POST', '/execute', { code, ...more })
  expect(await run('return {"a": 1}')).toMatchObject({
    status: 200,
    body: { data: { success: true, result: { a: 1 }, logs: [], metrics: { apiCalls: 0 } } },
  })
  expect(await run('throw up')).toMatchObject({
    status: 200,
    body: { data: { success: false, error: { code: 'RUNTIME_ERROR', message: 'up' } } },
  })
  const waits = await run('ask')
  expect([waits.status, waits.body.data.approvals[0].tool]).toEqual([202, 'github.create_issue'])
  expect(waits.body.data.requestId).toBe(web.script.seen.at(-1)?.requestId)
  const busy = await run('busy')
  expect([...codeOf(busy), busy.headers.get('retry-after')]).toEqual([429, 'too_many_calls', '3'])
  const late = await run('late')
  expect([...codeOf(late), late.headers.get('retry-after')]).toEqual([429, 'too_many_calls', '1'])
  // What code itself says of its error is nobody's word that it was not run.
  expect(await run('pretend')).toMatchObject({ status: 200, body: { data: { success: false } } })
  await run('return 1', { memoryLimit: '64MB', capabilities: ['mcp:github'], context: [1] })
  expect(web.script.seen.at(-1)?.wanted).toMatchObject({ memoryLimit: 67_108_864, context: [1] })
})

test('refuses what does not fit, and whoever may not', async () => {
  const web = await openCodeWeb()
  const run = (body: unknown, token?: string) => web.call('POST', '/execute', body, token)
  for (const body of [
    {},
    { code: 1 },
    { code: 'return 1', extra: true },
    { code: 'a\0b' },
    { code: 'return 1', timeout: 0 },
    { code: 'return 1', timeout: 10_000_000 },
    { code: 'return 1', memoryLimit: 'much' },
    { code: 'return 1', capabilities: { network: { colour: 'red' } } },
    { code: 'return 1', sessionId: 'mine' },
    { code: 'x'.repeat(1024 * 1024 + 1) },
  ])
    expect([JSON.stringify(body).slice(0, 80), ...codeOf(await run(body))]).toEqual([
      JSON.stringify(body).slice(0, 80),
      422,
      'does_not_fit',
    ])
  expect(codeOf(await run('{"code": '))).toEqual([400, 'bad_json'])
  expect(codeOf(await run('{"code": "a", "code": "b"}'))).toEqual([422, 'does_not_fit'])
  expect(codeOf(await run({ code: '', context: 'x'.repeat(4 * 1024 * 1024) }))).toEqual([
    413,
    'body_too_large',
  ])
  expect(codeOf(await run({ code: '', context: 'x'.repeat(3 * 1024 * 1024) }))).toEqual([200, undefined])
  const { token } = await web.user('Tools', ['tools', 'run'])
  expect(codeOf(await run({ code: 'return 1' }, token))).toEqual([403, 'forbidden'])
  expect(codeOf(await run({ code: 'return 1' }, 'nobody'))).toEqual([401, 'unauthenticated'])
  expect(web.script.seen).toHaveLength(1)
})

test('whoever hangs up cancels what they asked for', async () => {
  const web = await openCodeWeb()
  const hangUp = new AbortController()
  const asked = fetch(`http://${web.host}/api/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${web.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ code: 'stall' }),
    signal: hangUp.signal,
  }).catch(() => undefined)
  await expect.poll(() => web.script.seen.length, patience).toBe(1)
  hangUp.abort()
  await asked
  await expect.poll(() => web.script.cancelled.length, patience).toBe(1)
})

test('a run that waited is asked for again, by whose it is and by the owner', async () => {
  const web = await openCodeWeb()
  const [ada, bob] = [await web.user('Ada', ['code']), await web.user('Bob', ['code'])]
  const [waits, ended] = [
    await keepRun(web, asPrincipal(ada)),
    await keepRun(web, asPrincipal(ada), { hasEnded: true }),
  ]
  const read = (id: string, token?: string) => web.call('GET', `/execute/${id}`, undefined, token)
  for (const token of [ada.token, web.token]) {
    expect(await read(waits, token)).toMatchObject({
      status: 202,
      body: {
        data: {
          requestId: waits,
          approvals: [{ title: 'Create an issue', expiresAt: '2030-01-01T00:00:00.000Z' }],
        },
      },
    })
    expect(await read(ended, token)).toMatchObject({ status: 200, body: { data: { result: 'late' } } })
  }
  for (const id of [waits, ended, newId()])
    expect(codeOf(await read(id, bob.token))).toEqual([404, 'code_run_not_found'])
  const own = await keepRun(web, owner)
  expect(codeOf(await read(own, ada.token))).toEqual([404, 'code_run_not_found'])
  expect(codeOf(await read('nonsense'))).toEqual([422, 'does_not_fit'])

  const cancel = (id: string, token?: string) => web.call('DELETE', `/execute/${id}`, undefined, token)
  expect(codeOf(await cancel(waits, bob.token))).toEqual([404, 'code_run_not_found'])
  expect(codeOf(await cancel(ended, ada.token))).toEqual([409, 'code_run_ended'])
  expect(codeOf(await cancel(newId()))).toEqual([404, 'code_run_not_found'])
})

test('a run that is under way is cancelled by its id, wherever it runs', async () => {
  const web = await openCodeWeb()
  const ada = await web.user('Ada', ['code'])
  const asked = web.call('POST', '/execute', { code: 'stall' }, ada.token)
  await expect.poll(() => web.script.seen.length, patience).toBe(1)
  const [{ requestId } = { requestId: '' }] = web.script.seen
  expect((await web.call('DELETE', `/execute/${requestId}`)).status).toBe(204)
  expect(await asked).toMatchObject({ status: 200, body: { data: { success: false, requestId } } })
  expect(codeOf(await web.call('DELETE', `/execute/${requestId}`))).toEqual([404, 'code_run_not_found'])
})

test('a run that waits is cancelled although its machine is gone', async () => {
  const web = await openCodeWeb()
  const ada = await web.user('Ada', ['code'])
  const waits = await keepRun(web, asPrincipal(ada))
  await web.worker.close()
  expect((await web.call('DELETE', `/execute/${waits}`, undefined, ada.token)).status).toBe(204)
  expect(await web.call('GET', `/execute/${waits}`, undefined, ada.token)).toMatchObject({
    status: 200,
    body: { data: { success: false, error: { message: 'It was cancelled', details: { cancelled: true } } } },
  })
  const asked = await web.pool.db.select().from(approvals)
  expect(asked).toMatchObject([{ codeRunId: waits, status: 'expired' }])
  expect(codeOf(await web.call('DELETE', `/execute/${waits}`, undefined, ada.token))).toEqual([
    409,
    'code_run_ended',
  ])
})

test('tells what code can call, as a file that need not be read twice', async () => {
  const web = await openCodeWeb()
  const authorization = `Bearer ${web.token}`
  const get = (query: string, headers: Record<string, string> = {}) =>
    fetch(`http://${web.host}/api/tools/api.d.ts${query}`, { headers: { authorization, ...headers } })
  const answer = await get('?namespace=github')
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    200,
    'text/plain; charset=utf-8',
    '// of owner: {"namespace":"github"}\n',
  ])
  const again = await get('?namespace=github', { 'if-none-match': answer.headers.get('etag') ?? '' })
  expect(again.status).toBe(304)
  expect((await get('?colour=red')).status).toBe(422)
  const { token } = await web.user('Coder', ['code'])
  expect((await get('', { authorization: `Bearer ${token}` })).status).toBe(403)
})

test('counts with all other figures', async () => {
  const web = await openCodeWeb()
  const headers = { authorization: `Bearer ${web.token}` }
  const answer = await fetch(`http://${web.host}/metrics`, { headers })
  expect(await answer.text()).toContain('\nsignalbox_code_runs_total 1\n')
})

test('checks code without running it, for whoever may run code', async () => {
  const web = await openCodeWeb()
  const check = (body: unknown, token?: string) => web.call('POST', '/execute/check', body, token)
  const told = await check({ code: 'retrun 1' })
  expect([told.status, told.body]).toEqual([
    200,
    { data: { diagnostics: [{ line: 1, column: 1, message: 'retrun 1 of owner in none' }] } },
  ])
  expect(web.script.seen).toEqual([])
  for (const body of [
    {},
    { code: 1 },
    { code: '', timeout: 5 },
    { code: 'x'.repeat(1024 * 1024 + 1) },
    { code: '', sessionId: '?' },
  ])
    expect(codeOf(await check(body))).toEqual([422, 'does_not_fit'])
  const { token } = await web.user('Tools', ['tools', 'run', 'board', 'chat'])
  expect(codeOf(await check({ code: '' }, token))).toEqual([403, 'forbidden'])
  expect(codeOf(await web.call('GET', '/execute/tokens', undefined, token))).toEqual([403, 'forbidden'])
  expect(codeOf(await check({ code: '' }, 'nobody'))).toEqual([401, 'unauthenticated'])
})
