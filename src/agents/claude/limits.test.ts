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

test.each([
  ['a new one', {}, '0.0125', 0.0125],
  ['one that goes on', { sessionRef: 'fcf03cc8-2b85-427d-8a94-89eddc1f7dbe' }, '7.00 7.25', 0.25],
])('what a turn of %s has cost is known although it was killed', (_, session, costs, cost) =>
  withFake(
    cutOff('two-turns', '"type":"result"'),
    async ({ agent, turn }) => {
      const { events } = await turn('go', (event) => {
        if (event.type === 'usage' && event.usage.costUsd !== null) process.kill(agent.pid, 'SIGKILL')
      })
      expect(costOf(events)).toBe(cost)
    },
    session,
    { env: { FAKE_CLAUDE_COST: costs } },
  ),
)

test('one that does not tell what it costs is asked once', () =>
  withFake('two-turns', async ({ turn, lines }) => {
    await turn('go')
    await turn('on')
    expect(lines.filter((line) => /^in .*get_session_cost/.test(line))).toHaveLength(1)
  }))
