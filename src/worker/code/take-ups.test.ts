import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { codeRuns, machines } from '#db/schema.ts'
import { newId } from '#lib/id.ts'
import { openCodeMachines, openTestCodeMode } from '../../../test/support/code/machine.ts'

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

const yes = { decision: 'granted' }
const patient = { timeout: 20_000 }

test('machines that come for the same runs at once: each is driven by one, and each call is made once', async () => {
  const box = await openCodeMachines(codeMode)
  const { shop, pool, answer } = box
  const first = await box.openMachine()
  const runs = []
  for (const what of ['1', '2', '3', '4', '5', '6'])
    runs.push(
      await first.frozen(
        `return [await mcp.shop.buy({ what: '${what}' }), await mcp.shop.give({ what: '${what}' })]`,
      ),
    )
  await first.close()
  await pool.db.update(machines).set({ stoppedAt: new Date() }).where(eq(machines.id, box.machineId))
  const others = [newId(), newId()]
  for (const id of others) await box.addMachine(id, id, 'unix:/nowhere')
  const [second, third] = [await box.openMachine(others[0], 20), await box.openMachine(others[1], 20)]
  await Promise.all(runs.map(({ approvals }) => answer(approvals[0]?.id ?? '', yes)))
  const results = await Promise.all(
    runs.map(({ requestId }, index) => [second, third][index % 2]!.ended(requestId)),
  )
  expect(results.every(({ success }) => success)).toBe(true)
  expect(shop.calls.toSorted()).toEqual(
    ['1', '2', '3', '4', '5', '6'].flatMap((what) => [`buy ${what}`, `give ${what}`]).toSorted(),
  )
  const epochs = await pool.db.select({ epoch: codeRuns.epoch }).from(codeRuns)
  expect(epochs.every(({ epoch }) => epoch === 2)).toBe(true)
})

test('a run of a machine that lives is left to it', async () => {
  const box = await openCodeMachines(codeMode)
  const first = await box.openMachine()
  const { requestId, approvals } = await first.frozen(`return await mcp.shop.buy({ what: 'x' })`)
  await first.close()
  const other = newId()
  await box.addMachine(other, 'other', 'unix:/nowhere')
  const second = await box.openMachine(other, 20)
  await box.answer(approvals[0]?.id ?? '', yes)
  second.registry.onChange(() => undefined)
  await second.result('return await new Promise<void>((resolve) => setTimeout(resolve, 300))')
  expect(box.shop.calls).toEqual([])
  const again = await box.openMachine()
  expect((await again.ended(requestId)).success).toBe(true)
})

/** A worker dies in the middle of a run that was thawed, and the next one takes it up. */
async function restarted(code: string, held: string, more: object = {}) {
  const box = await openCodeMachines(codeMode)
  const { shop } = box
  const first = await box.openMachine()
  const { requestId, approvals } = await first.frozen(code, more)
  shop.hold(held)
  await box.answer(approvals[0]?.id ?? '', yes)
  await expect.poll(() => shop.calls.some((call) => call.endsWith(` ${held}`)), patient).toBe(true)
  await first.close()
  shop.release(held)
  const second = await box.openMachine()
  return { result: await second.ended(requestId), calls: shop.calls, pool: box.pool }
}

test('a call whose outcome nobody knows is not made again, and the code is told', async () => {
  const { result, calls } = await restarted(
    `const bought = await mcp.shop.buy({ what: 'a' })
     const seen = await mcp.shop.look({ what: 'b' })
     const given = await mcp.shop.give({ what: 'held' }).catch((error) => [error.type ?? error.kind, error.message, error.details])
     const after = await mcp.shop.give({ what: 'after' })
     return [bought.what, seen.what, given, after.what]`,
    'held',
  )
  expect(result.result).toMatchObject(['a', 'b', expect.anything(), 'after'])
  expect(JSON.stringify(result.result)).toContain('Whether it was done is not known')
  expect(calls).toEqual(['buy a', 'look b', 'give held', 'give after'])
})

test('a call that a person has said yes to is not made again either', async () => {
  const { result, calls } = await restarted(
    `return await mcp.shop.buy({ what: 'held' }).catch((error) => error.message)`,
    'held',
  )
  expect(result.result).toContain('Whether it was done is not known')
  expect(calls).toEqual(['buy held'])
})

test('what changes nothing, or nothing more, is called again', async () => {
  const looked = await restarted(
    `await mcp.shop.buy({ what: 'a' }); return (await mcp.shop.look({ what: 'held' })).what`,
    'held',
  )
  expect(looked.result.result).toBe('held')
  expect(looked.calls).toEqual(['buy a', 'look held', 'look held'])
  const sold = await restarted(`return (await mcp.shop.sell({ what: 'held' })).what`, 'held')
  expect(sold.result.result).toBe('held')
  expect(sold.calls).toEqual(['sell held', 'sell held'])
})

test('outcomes are told again in the order in which they came', async () => {
  const { result, calls } = await restarted(
    `const seen: string[] = []
     await mcp.shop.buy({ what: 'first' })
     const chain = async (what: string, ticks: number) => {
       await mcp.shop.look({ what })
       for (let i = 0; i < ticks; i += 1) await null
       seen.push((await mcp.shop.give({ what: what + (seen.length) })).what)
     }
     await Promise.all([chain('p', 9), chain('q', 0), chain('r', 4)])
     await mcp.shop.look({ what: 'held' })
     return seen`,
    'held',
  )
  expect(result.error).toBeUndefined()
  expect(calls.filter((call) => call.startsWith('give'))).toHaveLength(3)
})

test('code that goes another way than before is ended, and calls nothing twice', async () => {
  const { result, calls } = await restarted(
    `await mcp.shop.buy({ what: 'a' })
     await mcp.shop.give({ what: 'at ' + Date.now() })
     return await mcp.shop.look({ what: 'held' })`,
    'held',
    { capabilities: ['mcp:*', 'system:time'] },
  )
  expect(result).toMatchObject({
    success: false,
    error: { message: expect.stringContaining('went another way') },
    metrics: { apiCalls: 2 },
  })
  expect(calls.filter((call) => call.startsWith('give'))).toHaveLength(1)
})
