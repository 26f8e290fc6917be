import { expect, it } from 'vitest'
import type { Usage } from '#contract/agent-event.ts'
import { recordedFrames } from './fixtures/recording.ts'
import { Meter } from './meter.ts'

const readAll = (recording: string, meter = new Meter(0)): Usage[] =>
  recordedFrames(recording).flatMap((frame) => meter.read(frame) ?? [])

it('does not know what a turn costs before Claude tells, and does not forget it when another message begins', () => {
  const told = readAll('two-turns').map(({ costUsd }) => costUsd)
  const known = told.indexOf(0.01)
  expect(told.slice(0, known).every((cost) => cost === null)).toBe(true)
  expect(told.slice(known).length).toBeGreaterThan(2)
  expect(told.slice(known, -1).every((cost) => cost === 0.01)).toBe(true)
  expect(told.at(-1)).toBe(0.015)
})

it('counts what the session has cost since the last result, and never less than it told', () => {
  const meter = new Meter(0.5)
  expect(meter.readSessionCost(0.51)?.costUsd).toBe(0.01)
  expect(meter.readSessionCost(0.51)).toBe(undefined)
  expect(readAll('two-turns', meter).at(-1)?.costUsd).toBe(0.015)
  expect(meter.readSessionCost(0.02)?.costUsd).toBe(0.02)
  meter.forget()
  expect(meter.readSessionCost(0.0175)?.costUsd).toBe(0.0025)
})

it('takes the first sum that it hears of a session that goes on for what was spent before', () => {
  const meter = new Meter()
  expect(meter.readSessionCost(7)).toBe(undefined)
  expect(meter.readSessionCost(7.25)?.costUsd).toBe(0.25)
})

it('counts the tokens of sub-agents before the turn is over', () => {
  const told = readAll('sub-agent')
  const running = told.findLast(({ costUsd }) => costUsd === null)
  const end = told.at(-1)
  expect(end).toMatchObject({ inputTokens: 3000, outputTokens: 150, steps: 2 })
  expect(running && running.inputTokens + running.outputTokens).toBe(3150)
})

it('counts a message of a sub-agent once, streamed or whole, and no sum below what it counted', () => {
  const meter = new Meter(0)
  const usage = { input_tokens: 90, cache_read_input_tokens: 10, output_tokens: 1 }
  const of = { parent_tool_use_id: 'toolu_1' }
  const start = { type: 'message_start', message: { id: 'a', usage } }
  const delta = { type: 'message_delta', usage: { output_tokens: 20 } }
  const whole = (id: string) => ({ type: 'assistant', ...of, message: { id, content: [], usage } })
  const frames = [
    { type: 'stream_event', ...of, event: start },
    { type: 'stream_event', ...of, event: delta },
    whole('a'),
    whole('b'),
    whole('b'),
    { type: 'system', subtype: 'task_notification', tool_use_id: 'toolu_1', usage: { total_tokens: 121 } },
    { type: 'system', subtype: 'task_notification', tool_use_id: 'toolu_1', usage: { total_tokens: 231 } },
  ]
  const told = frames.map((frame) => meter.read(frame))
  expect(told.map((one) => one && one.inputTokens + one.outputTokens)).toEqual([
    100,
    120,
    undefined,
    221,
    undefined,
    undefined,
    231,
  ])
  expect(told.at(-1)).toMatchObject({ steps: 0 })
})
