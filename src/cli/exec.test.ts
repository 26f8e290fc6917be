import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { owner } from '#domain/access.ts'
import { keepRun, openCodeWeb } from '../../test/support/code-web.ts'
import type { CodeWeb } from '../../test/support/code-web.ts'
import { errorText } from './code-error.ts'

// What the code says is understood by test/support/scripted-code.ts: this is about the command alone.

const program = join(import.meta.dirname, '../main/signalbox.ts')
const patience = { timeout: 20_000, interval: 50 }

/** Begins `signalbox` with these arguments. */
function begin({ host, token }: CodeWeb, args: readonly string[], stdin = '') {
  const env = { PATH: process.env['PATH'], SIGNALBOX_URL: `http://${host}`, SIGNALBOX_TOKEN: token }
  const child = spawn(process.execPath, [program, ...args], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined).end(stdin)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece))
  const stdout = text(child.stdout)
  const ended = once(child, 'exit')
  return {
    child,
    said: () => said,
    async over() {
      const [code] = await ended
      return { code, stdout: await stdout, stderr: said }
    },
  }
}

function inFile(name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-exec-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

test('prints logs to stderr and the result to stdout, and passes on what it was asked', async () => {
  const web = await openCodeWeb()
  const run = (args: string[], stdin?: string) => begin(web, ['exec', ...args], stdin).over()
  const file = inFile('a.ts', 'log one\nlog two\nreturn {"a": [1]}')
  const all = ['--cap', 'mcp:github', '--cap', 'system:time', '--timeout', '2s', '--memory', '64MB']
  const [plain, word, whole] = await Promise.all([
    run([file, ...all, '--context', '{"n": 1}', '--no-check', '--confirm']),
    run(['-'], 'return "plainly"'),
    run(['-', '--json', '--js'], 'return null'),
  ])
  expect(plain).toEqual({ code: 0, stdout: '{\n  "a": [\n    1\n  ]\n}\n', stderr: 'one\ntwo\n' })
  expect(word).toEqual({ code: 0, stdout: 'plainly\n', stderr: '' })
  expect(JSON.parse(whole.stdout)).toMatchObject({ success: true, result: null })
  const asked = (code: string) =>
    web.script.seen.map(({ wanted }) => wanted).find((one) => JSON.stringify(one).includes(code))
  expect(asked('log one')).toMatchObject({
    capabilities: ['mcp:github', 'system:time'],
    timeout: 2_000,
    memoryLimit: 67_108_864,
    context: { n: 1 },
    check: false,
    confirm: true,
  })
  expect(asked('return null')).toMatchObject({ typescript: false })
})

test('ends with 1 when the code failed, or nobody runs it', async () => {
  const web = await openCodeWeb()
  const [failed, busy, nobody] = await Promise.all([
    begin(web, ['exec', '-'], 'throw up\nmore').over(),
    begin(web, ['exec', '-'], 'busy').over(),
    begin({ ...web, token: 'wrong' }, ['exec', '-'], 'return 1').over(),
  ])
  expect(failed).toEqual({
    code: 1,
    stdout: '',
    stderr: 'RUNTIME_ERROR: up\n  stdin:1:1\n  1 | throw up\n      ^\n',
  })
  expect(busy).toMatchObject({ code: 1, stderr: 'Too many executions already\n' })
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('SIGNALBOX_TOKEN is not valid') })
})

test('ends with 2 when it was not asked for rightly', async () => {
  const web = await openCodeWeb()
  const run = (args: string[], stdin?: string) => begin(web, ['exec', ...args], stdin).over()
  const wrong = await Promise.all([
    run(['/no/such/file.ts']),
    run(['-', '--context', '{']),
    run(['-', '--timeout', 'soon']),
    run(['-', '--session', 'mine'], 'return 1'),
    run([]),
  ])
  for (const { code, stdout, stderr } of wrong)
    expect([code, stdout, stderr.length > 0]).toEqual([2, '', true])
})

test('Ctrl-C cancels it', async () => {
  const web = await openCodeWeb()
  const run = begin(web, ['exec', '-'], 'log begun\nstall')
  await expect.poll(run.said, patience).toContain('begun')
  run.child.kill('SIGINT')
  expect(await run.over()).toMatchObject({ code: 130, stderr: expect.stringContaining('It was cancelled') })
  expect(web.script.cancelled).toHaveLength(1)
})

test('says what it waits for, and waits for the result', async () => {
  const web = await openCodeWeb()
  const run = begin(web, ['exec', '-'], 'ask')
  await expect
    .poll(run.said, patience)
    .toMatch(/It waits for a yes to: Create an issue\n {2}signalbox approve \w+/)
  web.script.answer(web.script.seen[0]!.requestId, 'done')
  expect(await run.over()).toMatchObject({ code: 0, stdout: 'done\n' })
})

test('waits for the result although its socket was lost, and cancels it then too', async () => {
  const web = await openCodeWeb()
  const runs = [begin(web, ['exec', '-'], 'ask'), begin(web, ['exec', '-'], 'ask')]
  for (const run of runs) await expect.poll(run.said, patience).toContain('signalbox approve')
  const [ends, waits] = web.script.seen.map(({ requestId }) => requestId)
  await keepRun(web, owner, { id: ends!, hasEnded: true })
  await keepRun(web, owner, { id: waits! })
  web.dropSockets()
  const first = await Promise.race(runs.map((run) => run.over()))
  expect(first).toMatchObject({ code: 0, stdout: 'late\n' })
  const other = runs.find(({ child }) => child.exitCode === null)!
  await expect.poll(() => other.said().split('It waits for').length, patience).toBe(3)
  other.child.kill('SIGINT')
  expect(await other.over()).toMatchObject({ code: 130 })
  const { status, body } = await web.call('GET', `/execute/${waits}`)
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ success: false, error: { details: { cancelled: true } } })
})

test('prints what code can call', async () => {
  const web = await openCodeWeb()
  const [all, one, tool] = await Promise.all(
    [[], ['github'], ['github.list_issues']].map((more) => begin(web, ['tools', '--types', ...more]).over()),
  )
  expect(all?.stdout).toBe('// of owner: {}\n')
  expect(one?.stdout).toBe('// of owner: {"namespace":"github"}\n')
  expect(tool?.stdout).toBe('// of owner: {"tool":"github.list_issues"}\n')
})

test('an error is told with its line and a caret under its column', () => {
  const source = { name: 'a.ts', code: 'const a = 1\n\tconst 名 = b.c\nreturn a' }
  const error = {
    type: 'validation' as const,
    code: 'TYPE_ERROR' as const,
    message: 'Two of them',
    requestId: '',
    timestamp: '',
    details: {
      diagnostics: [
        { line: 2, column: 12, message: 'No \u001b[31mc', suggestion: 'Did you mean d?' },
        { line: 99, column: 1, message: 'Beyond' },
      ],
    },
  }
  const screen = { paint: (_: string, said: string) => said }
  expect(errorText(screen, error, source)).toBe(
    [
      'TYPE_ERROR: No \\u001b[31mc',
      '  a.ts:2:12',
      '  2 |  const 名 = b.c',
      '                  ^',
      '  Did you mean d?',
      'TYPE_ERROR: Beyond',
      '  a.ts:99:1',
      '',
    ].join('\n'),
  )
})
