import { expect, it } from 'vitest'
import { z } from 'zod'
import { Capabilities, ExecuteCode } from '#contract/execute.ts'
import { issuesIn, misfitWords } from './misfit-words.ts'

const shape = z.strictObject({
  env: z.record(z.string(), z.string()).optional(),
  name: z.string().max(3).optional(),
  list: z.array(z.string()).min(1).optional(),
  kind: z.enum(['a', 'b']).optional(),
  size: z.int().max(5).optional(),
  own: z.string('must be what it is').optional(),
  needed: z.string(),
})

it.each([
  [{ odd: 1 }, 'is not known here'],
  [{ env: 'A=B' }, 'must be an object'],
  [{ env: { A: 1 } }, 'must be text'],
  [{ name: 'abcd' }, 'must have at most 3 characters'],
  [{ list: 'x' }, 'must be a list'],
  [{ list: [] }, 'must have at least 1 entries'],
  [{ kind: 'c' }, 'must be one of a, b'],
  [{ size: 6 }, 'must be at most 5'],
  [{ size: 1.5 }, 'must be a whole number'],
  [{ own: 1 }, 'must be what it is'],
  [{ needed: undefined }, 'is missing'],
])('says in plain words what is wrong: %o', (given, words) => {
  const { error } = shape.safeParse({ needed: 'x', ...given })
  expect(error?.issues.map(misfitWords)).toEqual([words])
})

const told = (given: object) =>
  issuesIn(ExecuteCode.safeParse({ code: '', ...given }).error?.issues ?? []).map(
    (issue) => `${issue.path.join('.')} ${misfitWords(issue)}`,
  )

it('of a choice between shapes the one is told about that was meant', () => {
  expect(told({ capabilities: 'mcp:*' })).toEqual(['capabilities must be a list or an object'])
  expect(told({ capabilities: ['mcp:*', 3] })).toEqual(['capabilities.1 must be text'])
  expect(told({ capabilities: { mcp: { allowedServers: 'x' } } })).toEqual([
    'capabilities.mcp.allowedServers must be a list',
  ])
  expect(told({ capabilities: { mcp: { allowedServers: [1], timeout: 'x' } } })).toEqual([
    'capabilities.mcp.allowedServers.0 must be text',
    'capabilities.mcp.timeout must be a number',
  ])
  expect(told({ memoryLimit: 'much' })).toEqual([
    'memoryLimit must be a number of bytes, or a size like 64MB',
  ])
  expect(told({ memoryLimit: true })).toEqual(['memoryLimit must be a number or text'])
  for (const little of [1, '1KB', 1_048_575])
    expect(told({ memoryLimit: little })).toEqual(['memoryLimit must be at least 1MB'])
  expect(Capabilities.safeParse(['mcp:*']).success).toBe(true)
})

it('what has to be more than a number is told so', () => {
  expect(told({ capabilities: { mcp: { maxCallsPerSecond: 0 } } })).toEqual([
    'capabilities.mcp.maxCallsPerSecond must be more than 0',
  ])
  expect(told({ timeout: 0 })).toEqual(['timeout must be at least 1'])
})
