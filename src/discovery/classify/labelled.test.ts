import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { expect, test } from 'vitest'
import { labelledTools } from '../../../test/support/discovery/labelled-tools.ts'
import { makeMachine } from '../../../test/support/discovery/made-machine.ts'
import { toolFacts } from '../../../test/support/discovery/tool-facts.ts'
import { openLook } from '../look.ts'
import { placesUnder } from '../places.ts'
import type { SeenProgram } from '../port.ts'

/** Those that were taken for something else, if they are more than five of a hundred. */
function tooManyWrong(programs: readonly SeenProgram[]): string[] {
  const classes = new Map(programs.map((program) => [program.name, program.class]))
  const there = labelledTools.filter(({ name }) => classes.has(name))
  const wrong = there.filter((tool) => classes.get(tool.name) !== tool.class)
  return wrong.length <= there.length * 0.05
    ? []
    : wrong.map((tool) => `${tool.name} is a ${tool.class}, and was taken for a ${classes.get(tool.name)}`)
}

test('at least 95 of 100 common programs are taken for what they are', async () => {
  await using machine = await makeMachine()
  for (const { name } of labelledTools) await machine.install(name, toolFacts[name])
  const { programs, troubles } = await openLook(placesUnder(machine.root, machine.home))(machine.folders, {})
  expect(troubles).toEqual([])
  expect(programs).toHaveLength(labelledTools.length)
  expect(labelledTools.length).toBeGreaterThanOrEqual(100)
  expect(tooManyWrong(programs)).toEqual([])
})

test('and those of them that are really here as well', async () => {
  const folders = (process.env['PATH'] ?? '').split(':').filter(isAbsolute)
  const { programs } = await openLook(placesUnder('/', homedir()))(folders, {})
  expect(programs.length).toBeGreaterThan(0)
  expect(tooManyWrong(programs)).toEqual([])
})
