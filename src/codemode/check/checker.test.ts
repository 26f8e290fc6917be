import { readFileSync, readdirSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CheckLimits } from './check-process.ts'
import { CheckEnded, Checker, isWithin } from './checker.ts'

const limits: CheckLimits = {
  idleMs: 60_000,
  cpuMs: 60_000,
  wallMs: 120_000,
  memoryBytes: 1.5 * 1024 ** 3,
}
const patience = { timeout: 20_000, interval: 20 }
const { signal: never } = new AbortController()
const tools = 'declare const mcp: { a: { b(x: number): Promise<string> } }'

let checker: Checker
afterEach(() => checker.close())

const open = (more: Partial<CheckLimits> = {}): Checker => (checker = new Checker({ ...limits, ...more }))
const check = (code: string, owner = 'me', signal = never) => checker.check(owner, code, tools, signal)
const stat = (pid: string): string[] | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
/** Its process, and the native one under it. */
function processes(): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const under = (parent: number) =>
    all.filter((pid) => stat(pid)?.[1] === String(parent) && stat(pid)?.[0] !== 'Z')
  const own = under(process.pid).filter((pid) => commandOf(pid).includes('check/process.ts'))
  return own.flatMap((pid) => [Number(pid), ...under(Number(pid)).map(Number)])
}
const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const good = { code: expect.stringContaining('use strict'), mappings: expect.any(String) }
/** Nobody knows how long it takes: ten letters in every order. */
const endless = `type Order<T, U = T> = [T] extends [never] ? [] : T extends T ? [T, ...Order<Exclude<U, T>>] : never
const a: Order<"a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k"> = ["x"]`

describe('the type checker', () => {
  it('finds what is wrong, and where', async () => {
    open()
    expect(await check('const a: string = await mcp.a.b(1)\nreturn a')).toEqual(good)
    expect(await check('const ü = "😀"; return mcp.a.b(ü)')).toMatchObject({
      types: [{ line: 1, column: 32, code: 2345 }],
    })
    expect(await check('\r\n\r\n  mcp.a.c()')).toMatchObject({ types: [{ line: 3, column: 9 }] })
    expect(await check('const a = (\n')).toMatchObject({ syntax: [{ line: expect.any(Number) }] })
  })

  it('finds nothing of the machine', async () => {
    open()
    const paths = [
      '/// <reference path="/etc/passwd" />\nreturn 1',
      `/// <reference path="${import.meta.filename}" />\nreturn 1`,
    ]
    for (const code of paths) expect(await check(code)).toEqual(good)
    const modules = [
      '/// <reference types="node" />\nreturn process.env',
      `type A = import("${import.meta.filename}").Nothing; return null as A`,
      `type A = typeof import("node:fs"); return null as unknown as A`,
      'const fs = await import("node:fs"); return fs.readFileSync("/etc/passwd")',
      `const a = await import("${new URL('../../../package.json', import.meta.url).pathname}"); return a.name`,
    ]
    for (const code of modules)
      expect(await check(code)).toEqual({
        types: [expect.objectContaining({ message: expect.stringMatching(/^Cannot find (module|name)/) })],
      })
  })

  it('checks each against its own tools, however many there are by turns', async () => {
    open()
    const ofNumber = (number: number) => `declare const mcp: { a: { only${number}(): Promise<string> } }`
    for (const number of [0, 1, 0, 2, 3, 1, 4, 5, 0, 6, 1, 1]) {
      const call = (other: number) =>
        checker.check('me', `return mcp.a.only${other}()`, ofNumber(number), never)
      expect(await call(number)).toEqual(good)
      expect(await call(number + 1)).toMatchObject({ types: [{ line: 1, column: 14 }] })
    }
  })

  it('is ended when its types take too long, and checks the next', async () => {
    open({ cpuMs: 700 })
    await check('return 1')
    const ended = check(endless)
    await expect(ended).rejects.toThrow(CheckEnded)
    await expect(ended).rejects.toThrow('takes too long to check')
    expect(await check('return 2')).toEqual(good)
  }, 60_000)

  it('is ended when its types fill the memory', async () => {
    open({ memoryBytes: 170 * 1024 ** 2 })
    await expect(check(endless)).rejects.toThrow('more memory to check than it may')
    expect(processes()).toEqual([])
  }, 60_000)

  it('survives code that makes it fall over', async () => {
    open()
    for (const code of [`${'('.repeat(200_000)}1${')'.repeat(200_000)}`, `return 1${'+1'.repeat(300_000)}`])
      await expect(check(code)).rejects.toThrow('nested too deeply')
    expect(await check('return 1')).toEqual(good)
  }, 60_000)

  it('survives that its native process is killed', async () => {
    open()
    await check('return 1')
    const [, native] = processes()
    process.kill(native!, 'SIGKILL')
    expect(await check('return 2')).toEqual(good)
    const [own] = processes()
    process.kill(own!, 'SIGKILL')
    expect(await check('return 3')).toEqual(good)
  }, 60_000)

  it('sleeps when nobody needs it: no process is left', async () => {
    open({ idleMs: 50 })
    expect(checker.isAwake).toBe(false)
    await check('return 1')
    await vi.waitFor(() => expect(checker.isAwake).toBe(false), patience)
    await vi.waitFor(() => expect(processes()).toEqual([]), patience)
    expect(await check('return 2')).toEqual(good)
  })

  it('lets go of whoever does not wait any more, and takes everybody in turn', async () => {
    open()
    const order: string[] = []
    const leave = new AbortController()
    const all = ['a1', 'a2', 'a3', 'b1'].map(async (name) => {
      await check(`return "${name}"`, name[0])
      order.push(name)
    })
    const left = check('return "left"', 'c', leave.signal)
    leave.abort('Not any more')
    await expect(left).rejects.toThrow('Not any more')
    await Promise.all(all)
    expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'))
  })

  it('keeps nobody waiting for the types of somebody else, who has one process at most', async () => {
    open({ idleMs: 500 })
    await check('return 0', 'warm')
    let isOver = false
    const long = [1, 2].map((at) => check(`${endless}; return ${at}`, 'greedy'))
    for (const one of long) one.catch(() => (isOver = true))
    for (const at of [1, 2, 3]) {
      const since = performance.now()
      expect(await check(`return ${at}`, 'modest')).toEqual(good)
      expect(performance.now() - since).toBeLessThan(10_000)
    }
    expect(isOver).toBe(false)
    expect(checker.waitingOf('greedy')).toBe(1)
    expect(processes()).toHaveLength(4)
    await vi.waitFor(() => expect(processes()).toHaveLength(2), patience)
  }, 60_000)

  it('gives all processes together not much more memory than one', () => {
    expect(isWithin(100, 100, [0, 0])).toBe(true)
    expect(isWithin(100, 101, [0, 0])).toBe(false)
    expect(isWithin(100, 90, [30, 30])).toBe(true)
    expect(isWithin(100, 90, [60, 30])).toBe(false)
    expect(isWithin(100, 60, [90, 30])).toBe(true)
  })

  it('takes a megabyte of code', async () => {
    open()
    const lines = Array.from(
      { length: 9_000 },
      (_, at) => `function f${at}(a: number): string { const b = a * ${at}; return \`\${b} is a number\` }`,
    )
    expect(await check(`${lines.join('\n')}\nreturn f8999(1)`)).toEqual(good)
    expect(await check(`${lines.join('\n')}\nreturn f8999("1")`)).toMatchObject({
      types: [{ line: 9_001, column: 14 }],
    })
  }, 60_000)
})
