import { expect, test } from 'vitest'
import { checkMemory } from './code-memory.ts'

test('more memory than there is for a run is refused, by the name of what allows it', () => {
  const most = 128 * 1024 ** 2
  expect(() => checkMemory(most + 1, most)).toThrow(
    'memoryLimit: must be at most 128MB (sandbox.limits.memory of the configuration)',
  )
  for (const fits of [undefined, 1, most]) expect(() => checkMemory(fits, most)).not.toThrow()
})
