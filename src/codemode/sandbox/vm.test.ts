import { describe, expect, test } from 'vitest'
import { limits, testImage } from '../../../test/support/code/code-pool.ts'
import { escapes, planted } from '../../../test/support/code/escapes.ts'
import { bombs, loops, oddities, pollution, refused } from '../../../test/support/code/hostile.ts'
import type { Ending, RunLimits } from './run.ts'
import { Vm } from './vm.ts'

const image = testImage()
const module = new WebAssembly.Module(image.wasm)

interface Ran {
  ending: Ending | undefined
  calls: { id: number; kind: string; name: string; given: string }[]
  logs: [level: string, text: string][]
}

interface Given {
  limits?: Partial<RunLimits>
  clock?: bigint | (() => bigint)
  seed?: number[]
  isAnswered?: boolean
}

/** In this thread: calls are answered as soon as it waits. */
function run(vm: Vm, code: string, given: Given = {}): Ran {
  const ran: Ran = { ending: undefined, calls: [], logs: [] }
  const { seed = [1, 2, 3, 4], clock = 0n, isAnswered = true } = given
  vm.begin(
    `(async () => {"use strict";\n${code}\n})`,
    { seed, context: { who: 'me' } },
    { ...limits, cpuMs: 150, ...given.limits },
    { wallUntil: performance.now() + 20_000, clock, isExtendable: false, isStopped: () => false },
    {
      onCall: (id, kind, name, text) => ran.calls.push({ id, kind, name, given: text }),
      onLog: (level, text) => ran.logs.push([level, text]),
      onLate: () => undefined,
      onEnd: (ending) => (ran.ending = ending),
    },
  )
  for (const { id, kind, name, given: text } of ran.calls) {
    if (!isAnswered || ran.ending || name.endsWith('.never')) continue
    if (name.endsWith('.fail')) vm.settle(id, false, '{"message":"no","kind":"mcp"}')
    else
      vm.settle(id, true, kind === 'timer' ? '' : JSON.stringify((JSON.parse(text) as unknown[])[0] ?? null))
  }
  return ran
}

const resultOf = (code: string, given: Given = {}): unknown => {
  const { ending } = run(new Vm(image, module), code, given)
  if (ending?.how !== 'returned') throw new Error(JSON.stringify(ending))
  return ending.text === '' ? undefined : JSON.parse(ending.text)
}

/** As new, or given up: what comes next begins with the image, byte for byte. */
function renewed(vm: Vm): Vm {
  const next = vm.reset() ? vm : new Vm(image, module)
  expect(next.differsFromImage()).toBe(false)
  return next
}

describe('what is done to it', () => {
  test('the memory is as the image has it, byte for byte, whatever ran in it', () => {
    let vm = new Vm(image, module)
    const some = [...loops.slice(0, 4), ...bombs.slice(0, 6), ...pollution, ...refused, ...oddities]
    for (const one of some) {
      run(vm, one.code, { limits: { cpuMs: 25 } })
      vm = renewed(vm)
      expect(run(vm, 'return [typeof leak, typeof context.who]').ending).toEqual({
        how: 'returned',
        text: '["undefined","string"]',
      })
      vm = renewed(vm)
    }
  })

  test('a difference would be seen', () => {
    const vm = new Vm(image, module)
    run(vm, 'await mcp.a.never()')
    expect(vm.differsFromImage()).toBe(true)
  })
})

describe('ways out', () => {
  test('what there is to see is seen', () => {
    expect(resultOf(planted.code)).toEqual(['process'])
  })

  test.each(escapes)('$name', ({ code }) => {
    expect(resultOf(code, { limits: { cpuMs: 5_000 } })).toEqual([])
  })

  test('nothing is global but the language and what is ours', () => {
    const names = resultOf('return Object.getOwnPropertyNames(globalThis)') as string[]
    const ours = names.filter((name) => /^[a-z]/.test(name) && !(name in globalThis && name !== 'fetch'))
    expect(ours.toSorted()).toEqual(['context', 'fetch', 'fs', 'mcp'])
    expect(names).not.toContain('WebAssembly')
    expect(names).not.toContain('Atomics')
  })
})

describe('memory', () => {
  // The machine has no more before QuickJS knows: then there is no room for its error either, and what is thrown is null.
  test('is what was too much, also when nobody could say so', () => {
    const most = { limits: { memoryBytes: 19 * 1024 ** 2, cpuMs: 20_000 } }
    for (const code of ['const a = []; for (;;) a.push({ a: { b: {} } })', 'let l = {}; for (;;) l = { l }'])
      expect(run(new Vm(image, module), code, most).ending).toMatchObject({ how: 'memory' })
    expect(run(new Vm(image, module), 'throw null', most).ending).toMatchObject({
      how: 'threw',
      error: { message: 'null' },
    })
  })
})

describe('what it says', () => {
  test('arguments are a list of JSON, whatever was done to lists', () => {
    const { calls } = run(
      new Vm(image, module),
      'Array.prototype.toJSON = () => 5; mcp.a.echo(1, undefined, { a: 2 })',
    )
    expect(calls).toEqual([{ id: 1, kind: 'mcp', name: 'a.echo', given: '[1,null,{"a":2}]' }])
  })

  test('an error is told as text, whatever was done to objects', () => {
    const code =
      'Object.prototype.toJSON = () => null; throw Object.assign(new TypeError("seen"), { code: 7, kind: {} })'
    const { ending } = run(new Vm(image, module), code)
    expect(ending).toMatchObject({ how: 'threw', error: { name: 'TypeError', message: 'seen' } })
    expect(ending).not.toHaveProperty('error.code')
    expect(ending).not.toHaveProperty('error.kind')
  })

  test('lines are told until there are too many, and that is told', () => {
    const { logs } = run(new Vm(image, module), 'for (let i = 0; i < 1000; i++) console.log("")', {
      limits: { logBytes: 320 },
    })
    expect(logs.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => ['info', '']))
    expect(logs.slice(10)).toEqual([['warn', expect.stringContaining('320 bytes are the most')]])
  })

  test('one line that is too long is not told', () => {
    const { logs } = run(new Vm(image, module), 'console.warn("x".repeat(1000)); console.warn("y")', {
      limits: { logBytes: 320 },
    })
    expect(logs).toEqual([['warn', expect.stringContaining('A line of 1000 bytes')]])
  })

  test.each([
    ['a call', 'mcp.a.fail(); await mcp.a.echo(1)', ['no']],
    ['one of its own', 'Promise.reject(new TypeError("bg")); return 1', ['TypeError: bg']],
    ['beside an error', '(async () => { throw 5 })(); throw new Error("this")', ['5']],
    [
      'one that was awaited later',
      'const a = mcp.a.fail(); await mcp.a.echo(1); try { await a } catch {}',
      [],
    ],
    ['one of several', 'try { await Promise.all([mcp.a.fail(), mcp.a.fail()]) } catch {}', []],
    [
      'whatever was done to lists of them',
      'Map.prototype.set = () => 5; Map.prototype.forEach = () => 6; Promise.reject(7); return 1',
      ['7'],
    ],
  ])('what fails and is awaited by nobody is told: %s', (_, code, told) => {
    const { logs, ending } = run(new Vm(image, module), code)
    expect(logs).toEqual(
      told.map(() => ['error', expect.stringContaining('This failed, and nobody awaited it: ')]),
    )
    expect(logs.map(([, text]) => text)).toEqual(told.map((text) => expect.stringContaining(text)))
    expect(ending?.how).toMatch(/^(returned|threw)$/)
  })

  test('of many that fail and are awaited by nobody some are told', () => {
    const { logs } = run(new Vm(image, module), 'for (let i = 0; i < 500; i++) Promise.reject(i)')
    expect(logs).toHaveLength(20)
  })

  test('what a timer throws is told', () => {
    const { logs } = run(
      new Vm(image, module),
      'await new Promise((r) => { setTimeout(r, 0); setTimeout(() => { throw 5 }, 0) })\nawait mcp.a.echo(1)',
    )
    expect(logs).toEqual([['error', 'In a timer: 5']])
  })

  test.each([
    ['calls', 'for (let i = 0; i < 11; i++) await mcp.a.echo(i)', { calls: 10 }],
    ['pending', 'for (let i = 0; i < 11; i++) mcp.a.never(i)', { pending: 10 }],
    ['arguments', 'for (let i = 0; i < 11; i++) mcp.a.never("x".repeat(20))', { resultBytes: 200 }],
    ['result', 'return "x".repeat(300)', { resultBytes: 200 }],
  ] as const)('too much: %s', (what, code, less) => {
    const vm = new Vm(image, module)
    expect(run(vm, code, { limits: less }).ending).toMatchObject({ how: 'too-much', what })
    renewed(vm)
  })

  test('nothing goes on after it has ended', () => {
    const code = 'const s = "x".repeat(1e6); for (let i = 0; ; i++) mcp.a.never(s)'
    const vm = new Vm(image, module)
    expect(run(vm, code, { limits: { cpuMs: 60_000 } }).ending).toMatchObject({ how: 'too-much' })
  })
})

describe('time and chance', () => {
  const code =
    'const d = new Date(); return [Date.now(), d.toISOString(), d.getTimezoneOffset(), performance.now(), performance.timeOrigin, Math.random(), Math.random(), [3, 1, 2].toSorted(() => Math.random() - 0.5)]'

  test('what is not given is the same every time', () => {
    const first = resultOf(code, { clock: 86_400_000_000_000n })
    expect(resultOf(code, { clock: 86_400_000_000_000n })).toEqual(first)
    expect(first).toEqual(expect.arrayContaining([86_400_000, '1970-01-02T00:00:00.000Z', 0]))
  })

  test('another seed gives other numbers, and another clock another time', () => {
    expect(resultOf('return Math.random()', { seed: [1, 2, 3, 4] })).not.toBe(
      resultOf('return Math.random()', { seed: [4, 3, 2, 1] }),
    )
    const at = resultOf('return Date.now()', { clock: () => BigInt(Date.now()) * 1_000_000n })
    expect(Math.abs(Number(at) - Date.now())).toBeLessThan(20_000)
  })
})
