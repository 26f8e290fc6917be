import { expect, it } from 'vitest'
import { judgeSubcommands } from '../../../test/support/discovery/labelled.ts'

it('knows the subcommands of at least 95 % of the common tools', { timeout: 240_000 }, async () => {
  const { looked, wrong } = await judgeSubcommands()
  expect(looked).toBeGreaterThanOrEqual(100)
  // Whoever reads a failure is to see which.
  expect(wrong.length / looked > 0.05 ? wrong : []).toEqual([])
})
