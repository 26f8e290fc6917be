import { expect, test } from 'vitest'
import type { Preset } from '../../../src/contract/preset.ts'
import { isReady, usualChoice } from './ready-agents.ts'

const preset = (key: string, state: 'yes' | 'no' | 'unknown', more: Partial<Preset> = {}) =>
  ({ key, installed: true, tooOld: false, trouble: null, login: { state, how: '' }, ...more }) as Preset
const demo = preset('demo', 'yes')

test('chooses a real agent that is logged in before one that may be, and the demo only where there is none', () => {
  const choose = (...presets: Preset[]) => usualChoice([...presets, demo])?.key
  expect(choose(preset('codex', 'unknown'), preset('claude', 'yes'))).toBe('claude')
  expect(choose(preset('claude', 'no'), preset('codex', 'unknown'))).toBe('codex')
  expect(choose(preset('claude', 'no'), preset('codex', 'yes', { installed: false }))).toBe('demo')
  expect(usualChoice([])).toBe(undefined)
})

test('takes none for ready that does not run, is too old, or is surely not logged in', () => {
  expect(isReady(preset('claude', 'unknown'))).toBe(true)
  for (const more of [{ installed: false }, { tooOld: true }, { trouble: 'broken' }])
    expect(isReady(preset('claude', 'yes', more))).toBe(false)
  expect(isReady(preset('claude', 'no'))).toBe(false)
})
