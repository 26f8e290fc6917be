import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import type { AgentEvent } from '../port.ts'
import { withFake } from '../../../test/support/fake-claude.ts'

const folder = mkdtempSync(join(tmpdir(), 'cut-off-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A recording up to the first line that has this in it, and what follows instead. */
function cutOff(name: string, at: string, ...more: object[]): string {
  const recorded = readFileSync(join(import.meta.dirname, `fixtures/${name}.ndjson`), 'utf8').split('\n')
  const kept = recorded.slice(
    0,
    recorded.findIndex((line) => line.includes(at)),
  )
  const file = join(folder, `${name}-${Math.random()}.ndjson`)
  writeFileSync(file, [...kept, ...more.map((step) => JSON.stringify(step))].join('\n'))
  return file
}

const isDelta = (event: AgentEvent) => event.type === 'chunk' && event.chunk.type === 'text-delta'
const interrupted = { type: 'control_request', request_id: 'int', request: { subtype: 'interrupt' } }
const accepted = {
  dir: 'out',
  msg: { type: 'control_response', response: { subtype: 'success', request_id: 'int', response: {} } },
}
const refused = {
  dir: 'out',
  msg: { type: 'control_response', response: { subtype: 'error', request_id: 'int', error: 'Not now' } },
}
const costOf = (events: AgentEvent[]) => events.findLast((event) => event.type === 'usage')?.usage.costUsd
const budgets = (told: Record<string, unknown>[]) =>
  told.flatMap(({ args }) => {
    const words = args as string[] | undefined
    return words ? [words[words.indexOf('--max-budget-usd') + 1]] : []
  })
const limits = { steps: null, tokens: null, costUsd: 2 }
const sessionRef = 'fcf03cc8-2b85-427d-8a94-89eddc1f7dbe'

test.each([
  ['accepts an interrupt and goes on', [{ dir: 'in', msg: interrupted }, accepted]],
  ['does not even answer an interrupt', []],
])('one that %s is ended', async (_, answer) => {
  const recording = cutOff('interrupts', '"subtype":"interrupt"', ...answer)
  await withFake(
    recording,
    async ({ agent, turn }) => {
      let [isAsked, tookMs]: [boolean, number] = [false, Number.NaN]
      const interrupt = async () => {
        const asked = performance.now()
        expect(await agent.tell({ type: 'interrupt', payload: {} })).toEqual({ outcome: 'delivered' })
        tookMs = performance.now() - asked
      }
      let told = Promise.resolve()
      const { end } = await turn('slow', (event) => {
        if (isAsked || !isDelta(event)) return
        isAsked = true
        told = interrupt()
      })
      await told
      expect(end).toEqual({
        reason: 'failed',
        message: 'The agent did not answer an interrupt within 3 s, and was ended',
      })
      expect(tookMs).toBeLessThan(2_900)
      await agent.exited
    },
    {},
    { interruptMs: 3_000 },
  )
})

test('one that refuses an interrupt is not ended', async () => {
  const recording = cutOff('interrupts', '"subtype":"interrupt"', { dir: 'in', msg: interrupted }, refused)
  await withFake(
    recording,
    async ({ agent, turn }) => {
      const outcomes: unknown[] = []
      const interrupt = async () => {
        outcomes.push(await agent.tell({ type: 'interrupt', payload: {} }))
        await wait(400) // longer than it would have been given
        process.kill(agent.pid, 'SIGKILL')
      }
      const { end } = await turn('slow', (event) => {
        if (outcomes.length > 0 || !isDelta(event)) return
        outcomes.push('asked')
        void interrupt()
      })
      expect(outcomes[1]).toEqual({ outcome: 'refused', reason: 'Not now' })
      expect(end).toEqual({ reason: 'failed', message: null })
      expect(await agent.exited).toMatchObject({ signal: 'SIGKILL' })
    },
    {},
    { interruptMs: 200 },
  )
})

test('a line that is too long is skipped and told', () =>
  withFake(
    cutOff(
      'two-turns',
      '"type":"result"',
      { dir: 'raw', text: 'x'.repeat(17 * 1024 * 1024) },
      {
        dir: 'out',
        msg: { type: 'result', subtype: 'success', is_error: false },
      },
    ),
    async ({ turn }) => {
      const { end, events } = await turn('go')
      expect(end.reason).toBe('completed')
      expect(JSON.stringify(events)).toContain('one of 17825792 bytes')
    },
  ))

test('what a turn has cost is known although it was killed', () =>
  withFake(
    cutOff('two-turns', '"type":"result"'),
    async ({ agent, turn }) => {
      const { events } = await turn('go', (event) => {
        if (event.type === 'usage' && event.usage.costUsd !== null) process.kill(agent.pid, 'SIGKILL')
      })
      expect(costOf(events)).toBe(0.0125)
    },
    {},
    { env: { FAKE_CLAUDE_COST: '0.0125' } },
  ))

test('one that does not tell what it costs is asked once', () =>
  withFake('two-turns', async ({ turn, lines }) => {
    await turn('go')
    await turn('on')
    expect(lines.filter((line) => /^in .*get_session_cost/.test(line))).toHaveLength(1)
  }))

test('a new session may spend what is left', () =>
  withFake('two-turns', async ({ told }) => expect(budgets(told())).toEqual(['2.0000']), { limits }))

test('one that goes on may spend what is left on top of what it has cost', () =>
  withFake(
    'resumed',
    async ({ told }) => expect(budgets(told())).toEqual(['2.5000']),
    { limits, sessionRef, isContinued: true, spentUsd: 0.5 },
    { env: { FAKE_CLAUDE_COST: '0.50' } },
  ))

test('one that has cost more than we know of, as a copy has, is not stopped for that', () =>
  withFake(
    'resumed',
    async ({ told, turn }) => {
      expect(budgets(told())).toEqual(['2.0000', '9.0000'])
      expect((await turn('go')).end.reason).toBe('completed')
    },
    { limits, sessionRef, isContinued: true, fork: true, spentUsd: 0 },
    { env: { FAKE_CLAUDE_COST: '7.00' } },
  ))
