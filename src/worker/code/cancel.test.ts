import { afterAll, expect, test, vi } from 'vitest'
import { ExecuteCode } from '#contract/execute.ts'
import { users } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { ada as adaWithoutCode } from '../../../test/support/asking.ts'
import { openCodeMachines, openTestCodeMode } from '../../../test/support/code/machine.ts'

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

const ada = { ...adaWithoutCode, scopes: ['code' as const] }
const bob = { ...ada, id: newId(), name: 'Bob' }

test('a loop that is under way is ended by whose it is and by the owner, and by nobody else', async () => {
  const { pool, openMachine } = await openCodeMachines(codeMode)
  const { code } = await openMachine()
  await pool.db.insert(users).values([ada, bob].map(({ id, name, scopes }) => ({ id, name, scopes })))
  const loop = { code: 'console.log("in"); for (;;) {}', typescript: false, timeout: 600_000 }
  for (const by of [ada, owner]) {
    const requestId = newId()
    const onLog = vi.fn<() => void>()
    const ears = { signal: AbortSignal.timeout(60_000), requestId, onLog }
    const answer = code.execute(ada, ExecuteCode.parse(loop), ears)
    await vi.waitFor(() => expect(onLog).toHaveBeenCalled(), { timeout: 20_000 })
    expect(await code.cancel(bob, requestId)).toBe(false)
    expect(await code.cancel(by, requestId)).toBe(true)
    expect(await answer).toMatchObject({
      result: { success: false, error: { message: 'It was cancelled', details: { cancelled: true } } },
    })
    expect(await code.cancel(by, requestId)).toBe(false)
  }
}, 60_000)
