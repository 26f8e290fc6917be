import { afterAll, describe, expect, test, vi } from 'vitest'
import { hasCodeRunEnded, openWishesOf } from '#db/code-runs.ts'
import { openNativeSource } from '#tools/native-source.ts'
import type { CallHands, Caller } from '#tools/port.ts'
import { openCodeMachines, openTestCodeMode } from '../../../test/support/code/machine.ts'
import { settingsOf } from '../tools/sources.ts'
import { SourceConfig } from '#contract/source.ts'
import { codeTools } from './run-code-tool.ts'

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

const settings = {
  ...settingsOf(SourceConfig.parse({ transport: 'stdio', command: '-', grants: ['*'] })),
  isNative: true,
}
const patient = { timeout: 20_000 }

/** An agent at work, with `run_code` among its tools. Each worker is as if the one before had been killed. */
async function open() {
  const box = await openCodeMachines(codeMode)
  const { id: executionId, sessionId } = await box.begin()
  const caller: Caller = {
    kind: 'agent',
    id: `agent:${box.agent.id}`,
    agentId: box.agent.id,
    agentName: box.agent.name,
    allowedTools: [],
    sessionId,
    executionId,
    onBehalfOf: 'owner',
  }
  async function worker() {
    const { registry, code, close } = await box.openMachine()
    const tools = codeTools({
      code: () => Promise.resolve(code),
      openWishes: (id) => openWishesOf(box.pool.db, id),
      hasEnded: (id) => hasCodeRunEnded(box.pool.db, id),
    })
    registry.put(openNativeSource(tools), settings)
    const run = async (text: string, hands: Partial<CallHands> = {}) => {
      const signal = AbortSignal.timeout(60_000)
      const { content, structuredContent, isError } = await registry.call(
        caller,
        'run_code',
        { code: text },
        { signal, ...hands },
      )
      return { text: String(content[0]?.['text']), data: structuredContent, isError }
    }
    return { run, close }
  }
  const waiting = async () => {
    const { body } = await box.call('GET', `/approvals?status=waiting&executionId=${executionId}`)
    return body.data as { id: string; tool: string; codeRunId: string }[]
  }
  return {
    ...box,
    executionId,
    worker,
    waiting,
    untilAsked: () => vi.waitUntil(async () => (await waiting()).length > 0, patient),
  }
}

const buying = `const seen = await mcp.shop.look({ what: 'milk' })
return [seen.did, (await mcp.shop.buy({ what: 'milk' })).did]`

describe('the code of an agent', () => {
  test('that does not fit its tools is not run, and told where it does not', async () => {
    const { worker, shop } = await open()
    const { run } = await worker()
    const { text, isError } = await run(
      `await mcp.shop.look({ what: 'milk' })\nreturn mcp.shop.bye({ what: 1 })`,
    )
    expect(isError).toBe(true)
    expect(text).toMatch(/^validation TYPE_ERROR/)
    expect(text).toContain('line 2, column 17: ')
    expect(text).toContain('  2 | return mcp.shop.bye({ what: 1 })')
    expect(text).toContain('buy, give, look, sell')
    expect(shop.calls).toEqual([])
  })

  test('asks in the name of its agent, and the call is answered when a person has said yes', async () => {
    const { worker, shop, untilAsked, waiting, answer } = await open()
    const { run } = await worker()
    const called = run(buying)
    await untilAsked()
    const [asked, ...others] = await waiting()
    expect([asked?.tool, others]).toEqual(['shop.look', []])
    await answer(asked?.id ?? '', { decision: 'granted' })
    await vi.waitUntil(async () => (await waiting())[0]?.tool === 'shop.buy', patient)
    await answer((await waiting())[0]?.id ?? '', { decision: 'granted' })
    expect((await called).data).toEqual({ result: ['look', 'buy'], logs: [] })
    expect(shop.calls).toEqual(['look milk', 'buy milk'])
  })

  test('hears a no as an error that it can be corrected by', async () => {
    const { worker, untilAsked, waiting, answer } = await open()
    const { run } = await worker()
    const called = run(`return mcp.shop.buy({ what: 'milk' })`)
    await untilAsked()
    await answer((await waiting())[0]?.id ?? '', { decision: 'refused', reason: 'Not today' })
    const { text, isError } = await called
    expect([isError, text]).toEqual([true, expect.stringContaining('a person has refused it: Not today')])
  })

  test('waits on for an agent that calls again after the worker was another one: nothing is done or asked twice', async () => {
    const { worker, shop, untilAsked, waiting, answer, pool, executionId } = await open()
    const first = await worker()
    const client = new AbortController()
    const lost = first.run(buying, { signal: client.signal })
    await untilAsked()
    const [asked] = await waiting()
    client.abort()
    await expect(lost).rejects.toThrow('was cancelled')
    await first.close()

    const second = await worker()
    const again = second.run(buying)
    await answer(asked?.id ?? '', { decision: 'granted' })
    await vi.waitUntil(async () => (await waiting())[0]?.tool === 'shop.buy', patient)
    expect(await openWishesOf(pool.db, executionId)).toHaveLength(1)
    await answer((await waiting())[0]?.id ?? '', { decision: 'granted' })
    expect((await again).data).toEqual({ result: ['look', 'buy'], logs: [] })
    expect(shop.calls).toEqual(['look milk', 'buy milk'])
  })

  test('is another run when the first one is still waited for', async () => {
    const { worker, untilAsked, waiting, pool, executionId } = await open()
    const { run } = await worker()
    const end = new AbortController()
    const first = run(buying, { signal: end.signal })
    await untilAsked()
    const both = [first, run(buying, { signal: end.signal })]
    await vi.waitUntil(async () => (await openWishesOf(pool.db, executionId)).length === 2, patient)
    expect(await waiting()).toHaveLength(2)
    end.abort()
    await Promise.allSettled(both)
  })
})
