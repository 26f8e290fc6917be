import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RecordedChild } from '#contract/up.ts'
import { endProcess } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import { keepChild } from './keep-child.ts'

const script = join(import.meta.dirname, 'fixtures/child.ts')
const inNoHurry = new AbortController().signal

/** More than the system passes to any program: starting one is refused with E2BIG, at once. */
const tooMuch = { TOO_MUCH: 'x'.repeat(200_000) }

function keep(mode: string, envOf: (start: number) => Record<string, string> = () => ({})) {
  let planned = 0
  const delays: unknown[] = []
  const starts: (RecordedChild & { port: string })[] = []
  let port = ''
  const child = keepChild({
    plan: (lastUrl) => {
      port = lastUrl ? new URL(lastUrl).port : '0'
      return { name: 'web', script, env: { MODE: mode, PORT: port, ...envOf(++planned) } }
    },
    log: pino({ level: 'warn' }, { write: (line: string) => delays.push(JSON.parse(line).delay) }),
    onStart: (recorded) => starts.push({ ...recorded, port }),
  })
  onTestFinished(() => child.stop(AbortSignal.abort()))
  return { child, starts, delays }
}

function newMark(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-mark-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'mark')
}

describe('a kept child', () => {
  it('comes back at once and at the same port when it is killed', async () => {
    const { child, starts, delays } = keep('serve')
    await child.ready
    await endProcess(starts[0]!, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
    await expect.poll(() => starts.length, { timeout: 15_000 }).toBe(2)
    expect(delays).toEqual([100])
    expect(starts.map(({ port }) => port)).toEqual(['0', '40000'])
    expect(isAlive(starts[1]!)).toBe(true)
  })

  it('stops when it is asked to, and is not started again', async () => {
    const { child, starts } = keep('serve')
    await child.ready
    await child.stop(inNoHurry)
    expect(isAlive(starts[0]!)).toBe(false)
    expect(starts).toHaveLength(1)
  })

  it('is killed when it was asked and does not stop within five seconds', async () => {
    const mark = newMark()
    const { child, starts } = keep(`deaf ${mark}`)
    await child.ready
    const asked = performance.now()
    await child.stop(inNoHurry)
    expect(performance.now() - asked).toBeGreaterThan(4_900)
    expect(existsSync(mark)).toBe(true)
    expect(isAlive(starts[0]!)).toBe(false)
  })

  it('is killed at once when there is a hurry', async () => {
    const mark = newMark()
    const { child, starts } = keep(`deaf ${mark}`)
    await child.ready
    const hurry = new AbortController()
    const forEver = 600_000
    const stopped = child.stop(hurry.signal, forEver)
    await expect.poll(() => existsSync(mark), { timeout: 15_000 }).toBe(true)
    expect(isAlive(starts[0]!)).toBe(true)
    hurry.abort()
    await stopped
    expect(isAlive(starts[0]!)).toBe(false)
  })

  it('takes what it started with it', async () => {
    const mark = newMark()
    const { child, starts } = keep(`littering ${mark}`)
    await child.ready
    const grandchild = identify(Number(readFileSync(mark, 'utf8')))!
    expect(isAlive(grandchild)).toBe(true)
    await endProcess(starts[0]!, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
    await expect.poll(() => isAlive(grandchild)).toBe(false)
  })

  it.each([
    ['exit 78', 78, 'could not start (exit code 78)'],
    ['exit 1', 1, 'could not start (exit code 1)'],
    ['exit 0', 1, 'could not start (exit code 0)'],
  ])('gives up at once when it never served: %s', async (mode, code, message) => {
    const { child, starts } = keep(mode)
    expect(await child.failed).toEqual({ code, message: `web ${message}` })
    expect(starts).toHaveLength(1)
  })

  it('is given some more chances when it was killed before it served', { timeout: 30_000 }, async () => {
    const unlucky = keep(`unlucky ${newMark()}`)
    expect(await unlucky.child.ready).toBe('http://127.0.0.1:40000')
    expect(unlucky.starts).toHaveLength(2)
    const doomed = keep('killed')
    expect(await doomed.child.failed).toEqual({ code: 1, message: 'web could not start (killed by SIGKILL)' })
    expect(doomed.starts).toHaveLength(5)
  })

  it('waits longer each time when it no longer comes to serve', { timeout: 20_000 }, async () => {
    const { child, starts, delays } = keep(`fading ${newMark()}`)
    await child.ready
    await endProcess(starts[0]!, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
    await expect.poll(() => delays.length, { timeout: 15_000 }).toBe(4)
    expect(delays).toEqual([100, 200, 400, 800])
  })

  it('is started again when the system refused it for a while', async () => {
    const { child, starts, delays } = keep('serve', (start) => (start === 2 ? tooMuch : {}))
    await child.ready
    await endProcess(starts[0]!, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
    await expect.poll(() => starts.length, { timeout: 15_000 }).toBe(2)
    expect(delays).toEqual([expect.any(Number), expect.any(Number)])
  })

  it('fails, and says why, when the system refuses it every time', { timeout: 30_000 }, async () => {
    const { child, starts } = keep('serve', () => tooMuch)
    expect(await child.failed).toEqual({ code: 1, message: 'web could not start (spawn E2BIG)' })
    expect(starts).toEqual([])
  })

  it('fails, and says why, when its start cannot be planned', async () => {
    const { child } = keep('serve', () => {
      throw new Error('no plan')
    })
    expect(await child.failed).toEqual({ code: 1, message: 'no plan' })
    await child.stop(inNoHurry)
  })

  it('is not started again when its configuration went bad meanwhile', async () => {
    const mark = newMark()
    const { child, starts } = keep(`spoilt ${mark}`)
    await child.ready
    expect(existsSync(mark)).toBe(true)
    await endProcess(starts[0]!, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
    expect(await child.failed).toMatchObject({ code: 78 })
    expect(starts).toHaveLength(2)
  })
})
