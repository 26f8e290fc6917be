import { afterAll, expect, test } from 'vitest'
import { approvals, codeCalls } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { openCodeMachines, openTestCodeMode } from '../../../test/support/code/machine.ts'

// A worker stops, or is killed, while runs that were put away once go on.

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

const yes = { decision: 'granted' }
const patient = { timeout: 20_000 }
const told = (what: string) =>
  `mcp.shop.${what}.then((got) => got.what, (error) => (error.message.includes('not known') ? 'unknown' : error.message))`
/** One at a time: the others wait for their turn, and nothing of them was sent. */
const oneAtATime = { capabilities: { mcp: { allowedServers: ['*'], maxConcurrentCalls: 1 } } }

async function open(code: string, more: object = {}, graceMs = 0) {
  const box = await openCodeMachines(codeMode)
  const first = await box.openMachine(box.machineId, 300, { graceMs })
  const waiting = await first.frozen(code, more)
  for (const what of ['held', 'gate']) box.shop.hold(what)
  for (const { id } of waiting.approvals) await box.answer(id, yes)
  const isHeld = () =>
    ['held', 'gate'].every(
      (what) => !code.includes(`'${what}'`) || box.shop.calls.some((call) => call.endsWith(` ${what}`)),
    )
  await expect.poll(isHeld, patient).toBe(true)
  return { ...box, first, ...waiting }
}

test('a call that was not sent when its worker was killed is made by the next one, once', async () => {
  const { first, shop, openMachine, requestId, pool } = await open(
    `await mcp.shop.buy({ what: 'first' })
     return await Promise.all([${told(`give({ what: 'held' })`)}, ${told(`give({ what: 'next' })`)}])`,
    oneAtATime,
  )
  expect((await pool.db.select().from(codeCalls)).map(({ call, status }) => [call, status])).toEqual([
    [1, 'done'],
    [2, 'begun'],
  ])
  await first.close()
  shop.release('held')
  const second = await openMachine()
  expect((await second.ended(requestId)).result).toEqual(['unknown', 'next'])
  expect(shop.calls).toEqual(['buy first', 'give held', 'give next'])
})

test('so is one that somebody has said yes to: the yes was not used', async () => {
  const box = await openCodeMachines(codeMode)
  const { shop, pool, openMachine } = box
  const first = await openMachine()
  const { requestId, approvals: asked } = await first.frozen(
    `return await Promise.all([${told(`buy({ what: 'held' })`)}, ${told(`buy({ what: 'next' })`)}])`,
    oneAtATime,
  )
  await first.close()
  for (const { id } of asked) await box.answer(id, yes)
  shop.hold('held')
  const second = await openMachine()
  await expect.poll(() => shop.calls, patient).toEqual(['buy held'])
  await second.close()
  const used = async () => (await pool.db.select().from(approvals)).filter(({ usedAt }) => usedAt !== null)
  expect(await used()).toHaveLength(1)
  shop.release('held')
  const third = await openMachine()
  expect((await third.ended(requestId)).result).toEqual(['unknown', 'next'])
  expect(shop.calls).toEqual(['buy held', 'buy next'])
  expect(await used()).toHaveLength(2)
})

test('a yes is acted upon while another call of the run is under way', async () => {
  const box = await openCodeMachines(codeMode)
  const { shop } = box
  const machine = await box.openMachine()
  const { requestId, approvals: asked } = await machine.frozen(
    `return await Promise.all([${told(`buy({ what: 'held' })`)}, ${told(`buy({ what: 'next' })`)}])`,
  )
  shop.hold('held')
  for (const { id } of asked) await box.answer(id, yes)
  await expect.poll(() => shop.calls, patient).toEqual(['buy held', 'buy next'])
  shop.release('held')
  expect((await machine.ended(requestId)).result).toEqual(['held', 'next'])
})

test('one that fails before anything of it is sent is told so again, and not made again', async () => {
  const { first, shop, openMachine, requestId } = await open(
    `await mcp.shop.buy({ what: 'first' })
     const failed = await (mcp.shop as any).give({ who: 1 }).catch((error: any) => error.code)
     return [failed, await ${told(`look({ what: 'held' })`)}]`,
  )
  await first.close()
  shop.release('held')
  const second = await openMachine()
  expect((await second.ended(requestId)).result).toEqual(['TYPE_ERROR', 'held'])
  expect(shop.calls).toEqual(['buy first', 'look held', 'look held'])
})

test('a worker that stops hears what comes of the calls that are under way, and begins no more', async () => {
  const { first, shop, openMachine, requestId, pool } = await open(
    `await mcp.shop.buy({ what: 'first' })
     const held = await ${told(`give({ what: 'held' })`)}
     return [held, await ${told(`give({ what: 'next' })`)}]`,
    {},
    20_000,
  )
  const closing = first.close()
  shop.release('held')
  await closing
  expect(shop.calls).toEqual(['buy first', 'give held'])
  expect((await pool.db.select().from(codeCalls)).map(({ call, status }) => [call, status])).toEqual([
    [1, 'done'],
    [2, 'done'],
  ])
  const second = await openMachine()
  expect((await second.ended(requestId)).result).toEqual(['held', 'next'])
  expect(shop.calls).toEqual(['buy first', 'give held', 'give next'])
})

test('while it waits for some, it begins no others', async () => {
  const { first, shop, openMachine, requestId } = await open(
    `await mcp.shop.buy({ what: 'first' })
     const others = async () => {
       const gate = await ${told(`give({ what: 'gate' })`)}
       const after = ${told(`give({ what: 'after' })`)}
       await new Promise<void>((resolve) => setTimeout(resolve, 200))
       console.log('has called')
       return [gate, await after]
     }
     return await Promise.all([${told(`give({ what: 'held' })`)}, others()])`,
    {},
    20_000,
  )
  const hasCalled = Promise.withResolvers<void>()
  const ears = { signal: AbortSignal.timeout(20_000), onLog: () => hasCalled.resolve() }
  const hearing = first.code.ended(owner, requestId, ears).catch(() => undefined)
  const closing = first.close()
  shop.release('gate')
  await hasCalled.promise
  shop.release('held')
  await closing
  expect(shop.calls.toSorted()).toEqual(['buy first', 'give gate', 'give held'])
  const second = await openMachine()
  expect((await second.ended(requestId)).result).toEqual(['held', ['gate', 'after']])
  expect(shop.calls.filter((call) => call === 'give after')).toHaveLength(1)
  await hearing
})

test('it does not wait for what takes too long', async () => {
  const { first, shop, openMachine, requestId } = await open(
    `return await ${told(`buy({ what: 'held' })`)}`,
    {},
    50,
  )
  await first.close()
  shop.release('held')
  const second = await openMachine()
  expect((await second.ended(requestId)).result).toBe('unknown')
  expect(shop.calls).toEqual(['buy held'])
})

/** The next worker, whose shop opens later. */
async function openLate({ openMachine, machineId, shop }: Awaited<ReturnType<typeof openCodeMachines>>) {
  const machine = await openMachine(machineId, 20, { hasShop: false })
  const begun = machine.result('return await new Promise<void>((resolve) => setTimeout(resolve, 300))')
  void begun.then(() => shop.putInto(machine.registry))
  return machine
}

test('a tool that a person has said yes to is waited for when its source has not begun yet', async () => {
  const box = await openCodeMachines(codeMode)
  const first = await box.openMachine()
  const { requestId, approvals: asked } = await first.frozen(`return await ${told(`buy({ what: 'late' })`)}`)
  await first.close()
  await box.answer(asked[0]?.id ?? '', yes)
  const second = await openLate(box)
  expect((await second.ended(requestId)).result).toBe('late')
  expect(box.shop.calls).toEqual(['buy late'])
})

test('so is one that was begun, to know whether it may be called again', async () => {
  const { first, ...box } = await open(`return await ${told(`sell({ what: 'held' })`)}`)
  await first.close()
  box.shop.release('held')
  const second = await openLate(box)
  expect((await second.ended(box.requestId)).result).toBe('held')
  expect(box.shop.calls).toEqual(['sell held', 'sell held'])
})
