import { expect, test } from 'vitest'
import { checkPace, isFreer, withinChain } from './spawn.ts'
import type { Asking } from './spawn.ts'

const limits = { steps: 50, costUsd: 5, tokens: null }
const link = (maxBudgetUsd: number, spentUsd: number) => ({ agentName: 'Lead', maxBudgetUsd, spentUsd })

test('a turn may cost no more than is left to every agent above it', () => {
  expect(withinChain(limits, [])).toEqual(limits)
  expect(withinChain(limits, [link(5, 1), link(3, 2.5)])).toEqual({ ...limits, costUsd: 0.5 })
  expect(withinChain(limits, [link(100, 1)]).costUsd).toBe(5)
  expect(withinChain({ ...limits, costUsd: null }, [link(2, 1)]).costUsd).toBe(1)
  expect(() => withinChain(limits, [link(5, 0), link(2, 2)])).toThrow('have used $2.00 of the $2')
})

test('a refusal says when to try again, never in less than a second', () => {
  const refusal = (startedSecAgo: number) => {
    try {
      checkPace({ live: 0, startedSecAgo }, 'Claude')
    } catch (error) {
      return error
    }
    return undefined
  }
  expect(refusal(30)).toBeUndefined()
  expect(refusal(29.99)).toMatchObject({ context: { retryAfterSec: 1 } })
  expect(refusal(0)).toMatchObject({ context: { retryAfterSec: 30 } })
})

const asking = (more: Partial<Asking> = {}): Asking => ({
  permissionPolicy: 'ask',
  adapter: 'claude',
  mode: null,
  args: [],
  allowedTools: [],
  ownRules: [],
  ...more,
})

test('freer is who asks less', () => {
  const policy = (permissionPolicy: Asking['permissionPolicy']) => asking({ permissionPolicy })
  expect(isFreer(policy('all'), policy('ask'))).toBe(true)
  expect(isFreer(policy('reads'), policy('ask'))).toBe(true)
  expect(isFreer(policy('ask'), policy('ask'))).toBe(false)
  expect(isFreer(policy('ask'), policy('all'))).toBe(false)
  expect(isFreer(policy('ask'), policy('deny'))).toBe(true)
})

test.each<Partial<Asking>>([
  { mode: 'bypassPermissions' },
  { mode: 'acceptEdits' },
  { mode: 'dontAsk' },
  { mode: 'never', adapter: 'codex' },
  { mode: 'on-request', adapter: 'codex' },
  { mode: 'agent-full-access', adapter: 'acp' },
  { mode: 'yolo', adapter: 'acp' },
  { mode: 'autoEdit', adapter: 'acp' },
  { mode: 'one that nobody knows', adapter: 'acp' },
  { args: ['--dangerously-skip-permissions'] },
  { args: ['--acp', '-y'], adapter: 'acp' },
  { args: ['--allowedTools', 'Bash'] },
])('freer is who does not ask by itself, as %o', (more) => {
  const started = asking(more)
  expect(isFreer(started, asking())).toBe(true)
  expect(isFreer(started, asking({ mode: 'plan' }))).toBe(true)
  expect(isFreer(started, asking({ permissionPolicy: 'all' }))).toBe(true)
  expect(isFreer(started, started)).toBe(false)
  expect(isFreer(started, asking({ mode: 'bypassPermissions' }))).toBe(false)
  expect(isFreer(asking({ mode: 'default' }), started)).toBe(false)
})

test.each<[string[], string[], boolean]>([
  [[], [], false],
  [['github.*'], [], false],
  [[], ['board.*'], true],
  [['board.list_tasks'], ['board.*'], false],
  [['board.list_*', 'board.create_task'], ['board.*'], false],
  [['board.*'], ['board.*', 'github.*'], false],
  [['board.*', 'github.read'], ['board.*'], true],
  [['*'], ['board.*'], true],
  [['board*'], ['board.*'], true],
  [['*read'], [String.raw`\**`], true],
  [[String.raw`\*`], [String.raw`\*`], false],
])('who may call %j is freer than who may call %j: %s', (allowedTools, known, is) => {
  expect(isFreer(asking({ allowedTools }), asking({ allowedTools: known }))).toBe(is)
})

test('freer is whom a rule of its own lets pass, or the other holds back', () => {
  const rule = (effect: 'allow' | 'ask' | 'deny', argument: string | null = null) => ({
    tool: 'Bash',
    argument,
    effect,
  })
  const ruled = (...ownRules: ReturnType<typeof rule>[]) => asking({ ownRules })
  expect(isFreer(ruled(rule('allow')), ruled())).toBe(true)
  expect(isFreer(ruled(rule('allow')), ruled(rule('allow')))).toBe(false)
  expect(isFreer(ruled(rule('allow')), ruled(rule('allow', 'git *')))).toBe(true)
  expect(isFreer(ruled(), ruled(rule('allow')))).toBe(false)
  expect(isFreer(ruled(rule('deny'), rule('ask', 'rm *')), ruled())).toBe(false)
  expect(isFreer(ruled(), ruled(rule('deny')))).toBe(true)
  expect(isFreer(ruled(), ruled(rule('ask')))).toBe(true)
  expect(isFreer(ruled(rule('deny')), ruled(rule('ask')))).toBe(false)
  expect(isFreer(ruled(rule('ask')), ruled(rule('deny')))).toBe(true)
})

test('who accepts edits is not as free as who asks nothing', () => {
  expect(isFreer(asking({ mode: 'bypassPermissions' }), asking({ mode: 'acceptEdits' }))).toBe(true)
  expect(isFreer(asking({ mode: 'acceptEdits', permissionPolicy: 'all' }), asking({ mode: 'yolo' }))).toBe(
    true,
  )
})
