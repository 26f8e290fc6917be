import { expect, test } from 'vitest'
import { labelledTools } from '../../../test/support/discovery/labelled-tools.ts'
import { makeMachine } from '../../../test/support/discovery/made-machine.ts'
import { toolFacts } from '../../../test/support/discovery/tool-facts.ts'
import { openLook } from '../look.ts'
import { placesUnder } from '../places.ts'

test('at least 95 of 100 common programs are taken for what they are', async () => {
  expect(labelledTools.length).toBeGreaterThanOrEqual(100)
  await using machine = await makeMachine()
  for (const { name } of labelledTools) await machine.install(name, toolFacts[name])
  const { programs, troubles } = await openLook(placesUnder(machine.root, machine.home))(machine.folders, {})
  expect(troubles).toEqual([])
  expect(programs).toHaveLength(labelledTools.length)
  const classes = new Map(programs.map((program) => [program.name, program.class]))
  const wrong = labelledTools
    .filter((tool) => classes.get(tool.name) !== tool.class)
    .map((tool) => `${tool.name} is a ${tool.class}, and was taken for a ${classes.get(tool.name)}`)
  expect(wrong.length / labelledTools.length, wrong.join('\n')).toBeLessThanOrEqual(0.05)
})
