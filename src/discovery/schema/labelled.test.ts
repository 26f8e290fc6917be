import { afterAll, expect, it } from 'vitest'
import { labelledSubcommands } from '../../../test/support/discovery/labelled-subcommands.ts'
import { labelledTools } from '../../../test/support/discovery/labelled-tools.ts'
import { seen, wallParts } from '../../../test/support/discovery/odd-programs.ts'
import { onPath } from '#lib/on-path.ts'
import { someAtATime } from '#lib/some-at-a-time.ts'
import { openDescribe } from '../describe.ts'
import { openWalls } from '../walls.ts'
import { usualPlaces } from './completions.ts'
import { figFolder } from './fig-spec.ts'

const walls = openWalls(wallParts)
afterAll(() => walls.close())
const describe = openDescribe({
  walls,
  completions: usualPlaces,
  figFolder: figFolder(),
  // Only the first level is looked at.
  patienceMs: { whole: 30_000, known: 0, unknown: 0 },
})

/** Coding agents are spoken to by adapters of their own. Those that are not on this machine are known by Fig alone. */
const tools = labelledTools.filter((tool) => tool.class !== 'agent')

it('knows the subcommands of at least 95 % of the common tools', { timeout: 240_000 }, async () => {
  const found = await someAtATime(tools, 2, async (tool) => {
    const path = onPath(tool.name, process.env['PATH'] ?? '') ?? `/nowhere/${tool.name}`
    const schema = await describe({ ...seen(path, tool.name), class: tool.class }).catch(() => undefined)
    const words =
      schema?.commands.flatMap((command) => (command.words.length === 1 ? command.words : [])) ?? []
    return misfit(tool.name, words)
  })
  const wrong = found.filter((one) => one !== undefined)
  expect(tools.length).toBeGreaterThanOrEqual(100)
  // Whoever reads a failure is to see which.
  expect(wrong.length / tools.length > 0.05 ? wrong : []).toEqual([])
})

/** Nine of ten that it has are to be known, and of those that are said to be there nine of ten have to be. */
function misfit(name: string, words: string[]): string | undefined {
  const label = labelledSubcommands[name]
  const names = label?.names.split(' ').map((one) => one.split('|')) ?? []
  const missing = names.filter((one) => !one.some((alias) => words.includes(alias)))
  const real = new Set([...names.flat(), ...(label?.also?.split(' ') ?? [])])
  const invented = label?.isPart ? [] : words.filter((word) => !real.has(word))
  const isRight = missing.length <= names.length * 0.1 && invented.length <= words.length * 0.1
  return isRight ? undefined : `${name}: missing ${missing.join(' ')}; invented ${invented.join(' ')}`
}
