import type { ModelMessage } from 'ai'
import { expect, test } from 'vitest'
import type { Chunk } from '#contract/agent-event.ts'
import { turn } from './fixtures/turn.ts'

const ways = [
  ['content-filter', 'filter of the provider'],
  ['error', 'an error of its own'],
  ['other', 'without saying why'],
  ['length', 'MAX_OUTPUT_TOKENS'],
] as const

test.each([...ways, ['stop', 'without a word'] as const])(
  'a turn in which nothing was said and that ends with %s has failed, and says why',
  async (finish, why) => {
    for (const text of [undefined, '', ' \n ']) {
      const { ended } = await turn([{ ...(text !== undefined && { text }), finish }])
      expect(ended).toEqual({ how: 'failed', message: expect.stringContaining(why) })
    }
  },
)

test.each(ways)('an answer that ends with %s is kept, and that is told', async (finish, why) => {
  const { ended, said } = await turn([{ text: 'and then', finish }])
  expect(ended).toEqual({ how: 'completed' })
  expect(noticesIn(said)).toEqual([expect.stringContaining(why)])
  const after = await turn([{ calls: [['a', 'read']] }, { finish }])
  expect(after.ended).toEqual({ how: 'completed' })
  expect(noticesIn(after.said)).toEqual([expect.stringContaining(why)])
})

test('who says something meanwhile is answered, although nothing was said before', async () => {
  const heard: ModelMessage[][] = [[], [{ role: 'user', content: 'hello?' }]]
  const { ended } = await turn([{ text: '' }, { text: 'yes' }], { heard: () => heard.shift() ?? [] })
  expect(ended).toEqual({ how: 'completed' })
})

test('a model that is done after its calls needs no last word', async () => {
  const { ended, said } = await turn([{ calls: [['a', 'read']] }, { text: '' }])
  expect(ended).toEqual({ how: 'completed' })
  expect(noticesIn(said)).toEqual([])
})

const noticesIn = (said: readonly Chunk[]): string[] =>
  said.filter(({ type }) => type === 'data-notice').map(({ data }) => (data as { text: string }).text)
