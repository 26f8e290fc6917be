import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openLogFile } from './log-file.ts'
import { openLog, tuneLog } from './log.ts'
import type { LogOptions } from './log.ts'

let dir = ''
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'signalbox-log-'))))
afterEach(() => {
  vi.useRealTimers()
  rmSync(dir, { recursive: true, force: true })
})

const options = (changes: Partial<LogOptions> = {}): LogOptions => ({
  dir,
  level: 'info',
  format: 'json',
  retentionDays: 30,
  outputs: [{ type: 'file', rotation: 'daily' }],
  ...changes,
})

const today = () => new Date().toISOString().slice(0, 10)
const parse = (line: string): Record<string, unknown> => JSON.parse(line)
const linesIn = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8').trimEnd().split('\n').map(parse)

/** Logs in a process of its own, and answers with what it wrote to stderr. */
async function logElsewhere(given: LogOptions, code: string, stderr: 'pipe' | 'ignore' = 'pipe') {
  const script = `import { openLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
    const log = openLog(${JSON.stringify(given)}, 'probe'); ${code}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', stderr],
  })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text))
  await once(child, 'close')
  return { output, exitCode: child.exitCode }
}

describe('a log', () => {
  it('writes JSON lines to a file of the day, for its owner alone', () => {
    const log = openLog(options(), 'web')
    log.child({ requestId: 'r1' }).info({ token: 'hunter2hunter2' }, 'hello')
    const file = join(dir, `signalbox-web.${today()}.log`)
    expect(linesIn(file)).toEqual([
      expect.objectContaining({ level: 30, name: 'web', requestId: 'r1', token: '[redacted]', msg: 'hello' }),
    ])
    expect(linesIn(file)[0]?.['time']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(statSync(file).mode & 0o077).toBe(0)
  })

  it('takes secrets out of bindings, errors and messages alike', () => {
    const log = openLog(options(), 'web')
    const failed = new Error('GET http://a/?token=hunter2hunter2', {
      cause: new Error('postgres://a:hunter2@db'),
    })
    log.child({ password: 'hunter2' }).error({ err: failed }, 'with Bearer hunter2hunter2')
    const written = readFileSync(join(dir, `signalbox-web.${today()}.log`), 'utf8')
    expect(written).toContain('[redacted]')
    expect(written).not.toContain('hunter2')
  })

  it('changes its level for itself and for children that live already', () => {
    const log = openLog(options(), 'web')
    const child = log.child({ part: 'listener' })
    child.debug('before')
    tuneLog(log, { level: 'debug', retentionDays: 30 })
    child.debug('after')
    log.debug('too')
    tuneLog(log, { level: 'warn', retentionDays: 30 })
    child.info('no more')
    expect(linesIn(join(dir, `signalbox-web.${today()}.log`)).map(({ msg }) => msg)).toEqual(['after', 'too'])
  })

  it('goes where `outputs` says', async () => {
    const path = join(dir, 'deep/own.log')
    const outputs: LogOptions['outputs'] = [
      { type: 'console', rotation: 'daily' },
      { type: 'file', path, rotation: 'none' },
    ]
    const { output } = await logElsewhere(options({ outputs }), `log.info('hello')`)
    expect(JSON.parse(output)).toMatchObject({ msg: 'hello', name: 'probe' })
    expect(linesIn(path)).toHaveLength(1)
    expect(readdirSync(dir)).toEqual(['deep'])
    expect((await logElsewhere(options(), `log.info('hello')`)).output).toBe('')
  })

  it('is readable on request, and cannot do anything to the terminal', async () => {
    const outputs: LogOptions['outputs'] = [{ type: 'console', rotation: 'daily' }]
    const { output } = await logElsewhere(
      options({ outputs, format: 'pretty' }),
      `log.info({ title: '\\u001b]0;evil\\u0007' }, 'hello \\u001b[2J')`,
    )
    expect(output).toMatch(/INFO.*probe.*: hello \\u001b\[2J/)
    expect(output).not.toContain('\u001b')
  })

  it('goes on when its folder cannot be written, and says so once', async () => {
    const blocked = join(dir, 'blocked')
    writeFileSync(blocked, 'a file, not a folder')
    const outputs: LogOptions['outputs'] = [
      { type: 'console', rotation: 'daily' },
      { type: 'file', rotation: 'daily' },
    ]
    const { output, exitCode } = await logElsewhere(
      options({ dir: blocked, outputs }),
      `log.info('one'); log.info('two')`,
    )
    const lines = output.trimEnd().split('\n').map(parse)
    expect(lines.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^cannot write the log file: /),
      'one',
      'two',
    ])
    expect(exitCode).toBe(0)
  })

  it('goes on when nobody reads its stderr any more', async () => {
    const outputs: LogOptions['outputs'] = [
      { type: 'console', rotation: 'daily' },
      { type: 'file', rotation: 'daily' },
    ]
    const marker = join(dir, 'lived')
    const code = `import { writeFileSync } from 'node:fs'
      import { setImmediate } from 'node:timers/promises'
      for (let n = 0; n < 50; n += 1) { log.info('x'.repeat(10000)); await setImmediate() }
      writeFileSync(${JSON.stringify(marker)}, '')`
    const script = `import { openLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
      const log = openLog(${JSON.stringify(options({ outputs }))}, 'probe'); ${code}`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.destroy()
    await once(child, 'exit')
    expect(existsSync(marker)).toBe(true)
  })
})

const openDaily = (retentionDays: number) =>
  openLogFile(join(dir, 'web.log'), { rotation: 'daily', retentionDays, onTrouble: () => undefined })

describe('a log file', () => {
  it('begins a new one every day', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T23:59:59.999Z') })
    const file = openDaily(30)
    file.write('one\n')
    vi.setSystemTime(Date.parse('2026-03-02T00:00:00.000Z'))
    file.write('two\n')
    file.close()
    expect(readFileSync(join(dir, 'web.2026-03-01.log'), 'utf8')).toBe('one\n')
    expect(readFileSync(join(dir, 'web.2026-03-02.log'), 'utf8')).toBe('two\n')
  })

  it('removes its own old ones and nothing else', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-31T12:00:00Z') })
    const others = [
      'web.log',
      'web.2020-01-01.log.gz',
      'worker.2020-01-01.log',
      'web.notes.log',
      'xweb.2020-01-01.log',
    ]
    const kept = ['web.2026-03-30.log', 'web.2026-03-24.log']
    for (const name of [...others, ...kept, 'web.2026-03-23.log', 'web.2020-01-01.log'])
      writeFileSync(join(dir, name), '')
    const file = openDaily(7)
    expect(readdirSync(dir).toSorted()).toEqual([...others, ...kept, 'web.2026-03-31.log'].toSorted())
    file.keepDays(1)
    file.close()
    expect(readdirSync(dir).toSorted()).toEqual(
      [...others, 'web.2026-03-30.log', 'web.2026-03-31.log'].toSorted(),
    )
  })

  it('tells once that the disk refuses, and writes again when it can', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T12:00:00Z') })
    const troubles: unknown[] = []
    writeFileSync(join(dir, 'sub'), 'in the way')
    const file = openLogFile(join(dir, 'sub/web.log'), {
      rotation: 'none',
      retentionDays: 1,
      onTrouble: (error) => troubles.push(error),
    })
    file.write('lost\n')
    vi.advanceTimersByTime(60_000)
    file.write('lost too\n')
    rmSync(join(dir, 'sub'))
    vi.advanceTimersByTime(60_000)
    file.write('kept\n')
    file.close()
    expect(troubles).toHaveLength(1)
    expect(readFileSync(join(dir, 'sub/web.log'), 'utf8')).toBe('kept\n')
  })

  it('is shared by processes without mixing their lines', async () => {
    const path = join(dir, 'shared.log')
    const outputs: LogOptions['outputs'] = [{ type: 'file', path, rotation: 'none' }]
    const code = `for (let n = 0; n < 300; n += 1) log.info({ filler: 'x'.repeat(5000) }, 'line')`
    await Promise.all([1, 2, 3].map(() => logElsewhere(options({ outputs }), code)))
    expect(linesIn(path)).toHaveLength(900)
  })
})
