import { expect, it } from 'vitest'
import { Outlet } from './outlet.ts'
import type { AgentEvent } from './port.ts'

const chunk = (type: string, more: object = {}): AgentEvent => ({ type: 'chunk', chunk: { type, ...more } })
const approval = (requestId: string): AgentEvent => ({
  type: 'approval',
  approval: {
    requestId,
    kind: 'tool',
    tool: 'shell',
    title: 'ls',
    input: {},
    toolCallId: null,
    subject: null,
    readOnly: false,
    options: [],
  },
})
const flood: AgentEvent = chunk('data-notice', { data: { text: 'x'.repeat(100_000) } })

async function heardAtOpening(outlet: Outlet): Promise<AgentEvent[]> {
  const heard: AgentEvent[] = []
  await outlet.open(async (event) => void heard.push(event))
  return heard
}
const noticesIn = (events: AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'chunk' && event.chunk.type === 'data-notice'
      ? [(event.chunk['data'] as { text: string }).text]
      : [],
  )

it('keeps what is said between two turns for the next, in order', async () => {
  const outlet = new Outlet()
  await outlet.tell([chunk('text-start', { id: '1' }), approval('a')])
  await outlet.tell([chunk('text-end', { id: '1' })])
  expect(await heardAtOpening(outlet)).toEqual([
    chunk('text-start', { id: '1' }),
    approval('a'),
    chunk('text-end', { id: '1' }),
  ])
  await outlet.close([])
  expect(await heardAtOpening(outlet)).toEqual([])
})

it('keeps no more than a megabyte of it, and says how much it did not keep', async () => {
  const outlet = new Outlet()
  for (let count = 0; count < 100; count += 1) await outlet.tell([flood])
  await outlet.tell([{ type: 'data-terminal', stream: 'stderr', bytes: Buffer.alloc(2_000_000) }])
  const heard = await heardAtOpening(outlet)
  expect(Buffer.byteLength(JSON.stringify(heard))).toBeLessThan(1.1 * 1024 * 1024)
  expect(noticesIn(heard).at(-1)).toBe('91 messages that came between two turns were not kept')
})

it('loses no question, no withdrawal and no fact, however much else is said', async () => {
  const outlet = new Outlet()
  await outlet.tell([{ type: 'session', facts: { sessionRef: 'one', began: 'new' } }])
  for (let count = 0; count < 5_000; count += 1) await outlet.tell([chunk('data-notice', { data: {} })])
  await outlet.tell([approval('late'), { type: 'withdrawn', requestId: 'late', reason: 'over' }])
  for (let count = 0; count < 5_000; count += 1)
    await outlet.tell([{ type: 'session', facts: { title: `title ${count}` } }])
  const heard = await heardAtOpening(outlet)
  expect(heard[0]).toEqual({
    type: 'session',
    facts: { sessionRef: 'one', began: 'new', title: 'title 4999' },
  })
  expect(heard.filter(({ type }) => type !== 'chunk')).toHaveLength(3)
})

it('tells no part without its beginning, and leaves none open of which the rest was not kept', async () => {
  const outlet = new Outlet()
  await outlet.tell([
    chunk('text-start', { id: 'cut' }),
    chunk('tool-input-available', { toolCallId: 'tool' }),
  ])
  for (let count = 0; count < 20; count += 1) await outlet.tell([flood])
  await outlet.tell([
    chunk('text-delta', { id: 'cut', delta: 'x'.repeat(1_000_000) }),
    chunk('tool-output-available', { toolCallId: 'tool', output: 'x'.repeat(1_000_000) }),
    chunk('reasoning-start', { id: 'never'.repeat(100_000) }),
    chunk('text-end', { id: 'cut' }),
  ])
  const parts = (await heardAtOpening(outlet)).flatMap((event) =>
    event.type === 'chunk' && !event.chunk.type.startsWith('data-') ? [event.chunk.type] : [],
  )
  expect(parts).toEqual(['text-start', 'tool-input-available', 'text-end', 'tool-output-error'])
})

it('begins a text anew that goes on in the turn, and tells no more of a tool that was lost', async () => {
  const outlet = new Outlet()
  const lost = { delta: 'x'.repeat(2_000_000) }
  const [text, ended] = [{ id: 'text' }, { id: 'ended' }]
  await outlet.tell([chunk('text-delta', { ...text, ...lost }), chunk('text-delta', { ...ended, ...lost })])
  await outlet.tell([chunk('tool-input-available', { toolCallId: 'tool', input: lost })])
  const heard: AgentEvent[] = []
  await outlet.open(async (event) => void heard.push(event))
  await outlet.tell([chunk('text-delta', text), chunk('text-delta', text), chunk('text-end', ended)])
  await outlet.close([chunk('tool-output-error', { toolCallId: 'tool' }), chunk('text-end', text)])
  expect(heard.slice(1)).toEqual([
    chunk('text-start', text),
    chunk('text-delta', text),
    chunk('text-delta', text),
    chunk('text-end', text),
  ])
})

it('does not hold up who speaks between two turns', async () => {
  const outlet = new Outlet()
  await outlet.open(() => new Promise(() => undefined))
  void outlet.close([flood])
  for (let count = 0; count < 200; count += 1) await outlet.tell([flood])
  expect(outlet.isOpen).toBe(false)
})
