import { afterEach, beforeEach, expect, it } from 'vitest'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'

let keeper: TestKeeper

beforeEach(async () => {
  keeper = await startKeeper()
})
afterEach(() => keeper.stop())

it('runs a program and spools all that it says', async () => {
  const { records, end, output, pid } = await keeper.run('/bin/sh', ['-c', 'echo out; echo err >&2; exit 3'])
  expect(records[0]).toMatchObject({ offset: 1, type: 'started', payload: { pid } })
  expect(output('stdout').toString()).toBe('out\n')
  expect(output('stderr').toString()).toBe('err\n')
  expect(end).toEqual({ reason: 'exited', exitCode: 3, signal: null, message: null })
})
