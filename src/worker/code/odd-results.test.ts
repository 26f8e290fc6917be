import { afterAll, describe, expect, test } from 'vitest'
import { openCodeMachines, openTestCodeMode } from '../../../test/support/code/machine.ts'

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

const nested = (depth: number) => `let deep: any = 1; for (let i = 0; i < ${depth}; i++) deep = { deep };`
const odd = [
  ['nul', String.raw`return ['\u0000', { '\u0000': 1 }]`, { success: true, result: ['\0', { '\0': 1 }] }],
  ['half a letter', String.raw`return '\ud800'`, { success: true, result: '\uD800' }],
  ['its own __proto__', `return JSON.parse('{"__proto__": 5}')`, { success: true }],
  [
    'nul in a log',
    String.raw`console.log('\u0000\ud800'); return 1`,
    { success: true, logs: [expect.stringContaining('\0')] },
  ],
  ['nul in an error', String.raw`throw new Error('\u0000\ud800')`, { success: false }],
  ['as deep as it may be', `${nested(1_000)} return deep`, { success: true }],
  ...[1_001, 5_000].map((depth) => [
    `${depth} deep`,
    `${nested(depth)} return deep`,
    { success: false, error: { code: 'RUNTIME_ERROR', message: expect.stringContaining('1000 deep') } },
  ]),
  [
    'an error with something deep',
    `${nested(3_000)} throw Object.assign(new Error('no'), { details: deep })`,
    { success: false, error: { message: 'no' } },
  ],
] as [string, string, object][]

describe('whatever code ends with is told', () => {
  test('at once, and after it was put away', async () => {
    const box = await openCodeMachines(codeMode)
    const machine = await box.openMachine()
    for (const [, code, told] of odd) expect(await machine.execute(code)).toMatchObject({ result: told })
    for (const [name, code, told] of odd) {
      const { requestId, approvals } = await machine.frozen(`await mcp.shop.buy({ what: 'x' }); ${code}`)
      await box.answer(approvals[0]?.id ?? '', { decision: 'granted' })
      const result = await machine.ended(requestId)
      expect([name, result]).toMatchObject([name, { ...told, metrics: { apiCalls: 1 } }])
      expect(result.metrics.memoryUsed).toBeGreaterThan(0)
    }
    expect(box.shop.calls).toHaveLength(odd.length)
  }, 60_000)
})
