import { expect, it } from 'vitest'
import { z } from 'zod'
import { misfitWords } from './misfit-words.ts'

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
