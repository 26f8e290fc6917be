import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCodeMode } from './open.ts'
import { CodeFailed } from './port.ts'
import type { CodeApi, CodeEnding, CodeHands, CodeMode, CodeWanted } from './port.ts'

let mode: CodeMode
let api: CodeApi
beforeAll(() => {
  mode = openCodeMode({
    threads: { min: 1, max: 2, idleMs: 1_000 },
    mostMemoryBytes: 64 * 1024 ** 2,
    mostWaiting: 100,
    mostWaitingOfOne: 100,
  })
  api = mode.api([])
})
afterAll(() => mode.close())

const noHands: CodeHands = { call: async () => null, log: () => undefined }

function wantedOf(code: string, more: Partial<CodeWanted> = {}): CodeWanted {
  return {
    owner: 'me',
    code,
    isTypeScript: true,
    isChecked: false,
    api,
    timeoutMs: 20_000,
    memoryBytes: 32 * 1024 ** 2,
    cpuQuota: 1,
    context: null,
    clockMs: null,
    seed: [1, 2, 3, 4],
    ...more,
  }
}

type Failed = Extract<CodeEnding, { isFine: false }>
async function failed(code: string, more: Partial<CodeWanted> = {}, hands = noHands): Promise<Failed> {
  const ending = await mode.run(wantedOf(code, more), hands).ended
  if (!ending || ending.isFine) throw new Error(`It was fine: ${JSON.stringify(ending)}`)
  return ending
}

/** Pieces of code that a stripper takes apart; `N` is another number each time. */
const pieces = [
  '// a comment',
  '/* of\n   several\n   lines */',
  'interface AN {\n  a: number\n\n  b: string\n}',
  'type TN<K extends string> = {\n  [key in K]: key extends `a${infer R}`\n    ? R\n    : never\n}',
  'enum EN {\n  One,\n  Two = "zwei",\n}',
  'const enum CN { A = 1 << 3 }',
  'const fN = <T extends\n  object>(given: T): T => given',
  'function gN(a: number): void\nfunction gN(a: string): void\nfunction gN(a: unknown): void { void a }',
  'class KN {\n  constructor(private readonly a: number, public b = 1) {}\n  declare c: string\n}',
  'abstract class LN { abstract a(): void; protected b?: number }',
  'const tN = `one\ntwo ${1 as number}\n three`',
  'const uN = "größe 😀 \\u2028" as const',
  'let vN: {\n  a: number\n} | undefined = undefined as never',
  'declare const wN: number',
  'const xN = [1, 2, 3]\n  .map((one): number => one * 2)\n  .filter(Boolean)',
  'const yN = ((): number => 1)() satisfies number;',
  '',
  '   ',
  'const rN = /[}"`]/u.test("}")',
]

describe('the line of an error', () => {
  it.each([true, false])(
    'is the line that it was written on, TypeScript: %s',
    async (isTypeScript) => {
      const isPlain = (piece: string) => /^(\/[/*]|const rN|\s*$)/.test(piece)
      const some = pieces.filter((piece) => isTypeScript || isPlain(piece))
      const anyPieces = fc.array(fc.nat(some.length - 1), { maxLength: 12 })
      const anyEnd = fc.constantFrom('\n', '\r\n')
      await fc.assert(
        fc.asyncProperty(anyPieces, anyPieces, anyEnd, fc.nat(10), async (before, after, end, indent) => {
          const written = (at: number, index: number) => some[at]!.replaceAll('N', String(index))
          const above = before.map(written).join('\n')
          const below = after.map((at, index) => written(at, index + 100)).join('\n')
          const thrower = `${' '.repeat(indent)}throw new RangeError("here")`
          const code = [above, thrower, below].join('\n').replaceAll('\n', end)
          const line = above.split('\n').length + 1
          const { details, code: kind, message } = await failed(code, { isTypeScript })
          expect([message, kind, details]).toEqual([
            'RangeError: here',
            'RUNTIME_ERROR',
            expect.objectContaining({ name: 'RangeError', line }),
          ])
          expect(details['column']).toBeGreaterThan(indent)
          expect(details['column']).toBeLessThanOrEqual(thrower.length)
        }),
        { numRuns: 40 },
      )
    },
    60_000,
  )

  it('has the way there, without what is ours', async () => {
    const { details } = await failed(
      'interface A { a: null }\nfunction inner(a: A) {\n  return (a.a as any).b\n}\nconst outer = () => inner({ a: null })\nawait 1\nouter()',
      { isChecked: true },
    )
    expect(details['line']).toBe(3)
    expect(details['stack']).toMatch(/^ {4}at inner line 3:\d+\n {4}at outer line 5:\d+\n {4}at line 7:\d+$/)
  })

  it('is the line of the call, when the call failed outside', async () => {
    const hands: CodeHands = {
      ...noHands,
      call: async () => {
        throw new CodeFailed('mcp', 'MCP_ERROR', 'It said no', { tool: 'a.b' })
      },
    }
    const code = 'type A = 1\n\nasync function ask(): Promise<A> {\n  return mcp.a.b()\n}\nawait ask()'
    expect(await failed(code, {}, hands)).toMatchObject({
      type: 'mcp',
      code: 'MCP_ERROR',
      message: 'It said no',
      details: { tool: 'a.b', line: 4 },
    })
    const caught =
      'try { await mcp.a.b() } catch (error) { return [error.message, error.code, error.details.tool] }'
    expect(await mode.run(wantedOf(caught), hands).ended).toMatchObject({
      result: ['It said no', 'MCP_ERROR', 'a.b'],
    })
  })

  it('is told of syntax, whoever finds it', async () => {
    for (const isTypeScript of [true, false]) {
      const { type, code, details } = await failed('const a = 1\nconst b = ;', { isTypeScript })
      expect([type, code]).toEqual(['validation', 'SYNTAX_ERROR'])
      expect(details.diagnostics).toMatchObject([{ line: 2, column: 11 }])
    }
  })

  it('says that there is no import and no export', async () => {
    for (const isTypeScript of [true, false])
      for (const isChecked of [true, false])
        for (const line of ['import fs from "fs"', 'export const a = 1', 'import "fs"', 'export {}'])
          expect(await failed(`const b = 1\n  ${line}`, { isTypeScript, isChecked })).toMatchObject({
            code: 'SYNTAX_ERROR',
            message: expect.stringContaining('Line 2: Code is the body of a function'),
          })
  })

  it('is told of what leaves its function, and nothing of it runs', async () => {
    const seen: string[] = []
    const hands: CodeHands = { ...noHands, log: (_, message) => seen.push(message) }
    for (const isTypeScript of [true, false])
      for (const code of [
        'return 1 }); (function(){ return 2',
        'const a = 1\nreturn a }, console.log("out"), async () => { return 2',
        '"{{{"; `${"{"}`\n})\nconsole.log(/[{]/)\n;(async () => {',
      ]) {
        const ending = await failed(code, { isTypeScript }, hands)
        expect([code, ending.code, ending.type]).toEqual([code, 'SYNTAX_ERROR', 'validation'])
        const closes = code.split('\n').findIndex((line) => line.includes('})') || line.includes('},'))
        expect(ending.details.diagnostics?.[0]?.line).toBe(closes + 1)
      }
    expect(seen).toEqual([])
    for (const code of [
      'return `${[1].map((a) => `{${a}`)}`',
      'return 1 / 2 / 3 //}',
      'return "}{"',
      '/* }) */',
    ])
      expect(await mode.run(wantedOf(code, { isTypeScript: false }), noHands).ended).toMatchObject({
        isFine: true,
      })
  })

  it('is told of an import that runs, with what is there instead', async () => {
    for (const isTypeScript of [true, false])
      expect(await failed('const a = 1\nreturn await import("fs")', { isTypeScript })).toMatchObject({
        code: 'RUNTIME_ERROR',
        message: expect.stringContaining('There is nothing to import. What it can use is there already'),
        details: { line: 2, column: 14 },
      })
  })

  it('is told of what takes too long, and of what takes too much memory', async () => {
    const loop = 'interface A {\n  a: 1\n}\nconst all = new Set<number>()\nfor (;;) {\n  all.has(1)\n}'
    const late = await failed(loop, { timeoutMs: 300, cpuQuota: 0.5 })
    expect(late).toMatchObject({
      code: 'EXECUTION_TIMEOUT',
      message: expect.stringMatching(/It was at line [456]/),
    })
    expect(late.details['stack']).toMatch(/^ {4}at line [456]:\d+$/)
    const inside = 'interface A {\n  a: 1\n}\nfunction spin() {\n  for (;;) Math.max(1)\n}\n\nspin()'
    expect((await failed(inside, { timeoutMs: 300, cpuQuota: 0.5 })).details['stack']).toMatch(
      /^ {4}at spin line [45]:\d+\n {4}at line 8:\d+$/,
    )
    for (const piece of ['{ a: { b: {} } }', '[1]', '"x".repeat(1e5) + all.length'])
      expect(
        await failed(`type A = 1\n\nconst all: any[] = []\nfor (;;)\n  all.push(${piece})`),
      ).toMatchObject({
        code: 'MEMORY_LIMIT',
        details: { line: 5 },
      })
  }, 30_000)

  it('is the own one in what is logged of an error, too', async () => {
    const logs: string[] = []
    const hands: CodeHands = { ...noHands, log: (_, message) => logs.push(message) }
    const code =
      'interface A { a: 1 }\n\nfunction inner() {\n  return new Error("x")\n}\nconsole.log(inner())\nconsole.warn("so:", [1].map(inner)[0]!.stack)\nconsole.log({ stack: inner().stack })'
    expect(await mode.run(wantedOf(code), hands).ended).toMatchObject({ isFine: true })
    expect(logs).toEqual([
      expect.stringMatching(/^Error: x\n {4}at inner line 4:\d+\n {4}at line 6:\d+$/),
      expect.stringMatching(/^so: {5}at inner \(line 4:\d+\)\n {4}at line 7:\d+$/),
      expect.stringMatching(/inner \(line 4:\d+\)\\n/),
    ])
  })

  it('survives being frozen, in JSON', async () => {
    const { promise: isCalled, resolve: onCall } = Promise.withResolvers<void>()
    const hands: CodeHands = {
      ...noHands,
      call: () => {
        onCall()
        return new Promise(() => {})
      },
    }
    const code =
      'interface A {\n  a: number\n}\nconst a = (await mcp.a.b()) as A\n\nthrow new RangeError(`no ${a.a}`)'
    const run = mode.run(wantedOf(code), hands)
    await isCalled
    const frozen = await run.freeze()
    expect(await run.ended).toBeUndefined()
    const stored = { ...frozen!, state: JSON.parse(JSON.stringify(frozen!.state)) as Record<string, unknown> }
    const thawed = await mode.thaw(stored, hands, { owner: 'me', outcomes: [{ call: 1, value: { a: 5 } }] })
    expect(await thawed.ended).toMatchObject({
      message: 'RangeError: no 5',
      details: { line: 6, name: 'RangeError' },
    })
  })
})

describe('what ends a run', () => {
  it('is told with its limit', async () => {
    expect(await failed('while (true) {}', { timeoutMs: 300, cpuQuota: 0.2 })).toMatchObject({
      type: 'timeout',
      code: 'EXECUTION_TIMEOUT',
      details: { limit: expect.stringMatching(/cpu|wall/) },
    })
    expect(
      await failed(
        'await new Promise((done) => setTimeout(done, 1e6))',
        { timeoutMs: 100 },
        {
          ...noHands,
          call: () => new Promise(() => {}),
        },
      ),
    ).toMatchObject({ code: 'EXECUTION_TIMEOUT', details: { limit: 'wall', limitMs: 100 } })
    expect(await failed('const all = []; while (true) all.push("x".repeat(1e5) + all.length)')).toMatchObject(
      {
        type: 'memory',
        code: 'MEMORY_LIMIT',
        details: { limitBytes: 32 * 1024 ** 2 },
      },
    )
    expect(await failed('return "x".repeat(1e7)')).toMatchObject({
      code: 'RUNTIME_ERROR',
      details: { limit: 'result' },
    })
  })

  it('is a result, or something sent, that is nested too deeply', async () => {
    const nested = (depth: number) => `let a = 1\nfor (let i = 0; i < ${depth}; i++) a = [a]\n`
    expect(await failed(`${nested(1_001)}return a`, { isTypeScript: false })).toMatchObject({
      code: 'RUNTIME_ERROR',
      message: expect.stringContaining('nested more than 1000 deep'),
      details: { limit: 'depth', most: 1_000 },
    })
    expect(await failed(`${nested(1_001)}await mcp.a.b(a)`, { isTypeScript: false })).toMatchObject({
      details: { limit: 'depth' },
    })
    const thrower = `${nested(3_000)}throw Object.assign(new Error("no"), { details: a })`
    expect(await failed(thrower, { isTypeScript: false })).toMatchObject({
      message: 'no',
      details: { line: 3 },
    })
    const echo: CodeHands = { ...noHands, call: async (_call, _kind, _name, [given]) => given }
    const fine = `${nested(1_000)}return await mcp.a.b(a)`
    expect(await mode.run(wantedOf(fine, { isTypeScript: false }), echo).ended).toMatchObject({
      isFine: true,
    })
  })

  it('is a context that is nested too deeply, before anything runs', async () => {
    let context: unknown = 1
    for (let depth = 0; depth < 1_000; depth += 1) context = [context]
    const code = 'return context'
    expect(await mode.run(wantedOf(code, { context }), noHands).ended).toMatchObject({ isFine: true })
    for (let depth = 0; depth < 100_000; depth += 1) context = [context]
    expect(await failed(code, { context })).toMatchObject({ message: expect.stringContaining('its context') })
  })

  it('is not an answer that is nested too deeply: the code hears of it', async () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep]
    const code = 'try { await mcp.a.b() } catch (error) { return error.message }'
    const result = expect.stringContaining('nested more than 1000 deep') as unknown
    expect(await mode.run(wantedOf(code), { ...noHands, call: async () => deep }).ended).toMatchObject({
      result,
    })
    const { promise: isCalled, resolve: onCall } = Promise.withResolvers<void>()
    const run = mode.run(wantedOf(code), {
      ...noHands,
      call: () => {
        onCall()
        return new Promise(() => {})
      },
    })
    await isCalled
    const frozen = await run.freeze()
    const more = { owner: 'me', outcomes: [{ call: 1, value: deep }] }
    const thawed = await mode.thaw(frozen!, noHands, more)
    expect(await thawed.ended).toMatchObject({ result })
  })

  it('is a cancel, while it is checked and while it runs', async () => {
    const checked = mode.run(wantedOf(`return ${Math.random()}`, { isChecked: true }), noHands)
    checked.cancel('Not any more')
    expect(await checked.ended).toMatchObject({
      isFine: false,
      message: 'Not any more',
      details: { cancelled: true },
    })
    let signal: AbortSignal | undefined
    const { promise: isCalled, resolve: onCall } = Promise.withResolvers<void>()
    const run = mode.run(wantedOf('await mcp.a.b()'), {
      ...noHands,
      call: (_call, _kind, _name, _given, own) => {
        signal = own
        onCall()
        return new Promise(() => {})
      },
    })
    await isCalled
    run.cancel('Not any more')
    expect(await run.ended).toMatchObject({ isFine: false, message: 'Not any more' })
    expect(signal?.aborted).toBe(true)
  })

  it('has no result without a return', async () => {
    expect(await mode.run(wantedOf('const a = 1'), noHands).ended).toEqual({
      isFine: true,
      result: undefined,
      meter: expect.anything(),
    })
  })

  it('says nothing of what went wrong in Signalbox itself', async () => {
    const hands: CodeHands = {
      ...noHands,
      call: async () => {
        throw new Error('secret')
      },
    }
    expect((await failed('await mcp.a.b()', {}, hands)).message).not.toContain('secret')
  })
})
