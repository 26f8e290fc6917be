import { expect, test } from 'vitest'
import { countTokens } from './count-tokens.ts'

test('counts as the models of OpenAI do, and takes words for marks as text', async () => {
  expect(await countTokens(['', 'hello world', 'a <|endoftext|> b'])).toEqual([0, 2, 9])
})
