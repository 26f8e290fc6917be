import { expect, test } from 'vitest'
import { checkPace, isFreer, withinChain } from './spawn.ts'

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

test('freer is who asks less', () => {
  const policy = (permissionPolicy: 'ask' | 'reads' | 'all' | 'deny') => ({ permissionPolicy })
  expect(isFreer(policy('all'), policy('ask'))).toBe(true)
  expect(isFreer(policy('reads'), policy('ask'))).toBe(true)
  expect(isFreer(policy('ask'), policy('ask'))).toBe(false)
  expect(isFreer(policy('ask'), policy('all'))).toBe(false)
  expect(isFreer(policy('ask'), policy('deny'))).toBe(true)
})
