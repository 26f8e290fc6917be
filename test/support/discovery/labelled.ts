import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { openDescribe } from '#discovery/describe.ts'
import { openLook } from '#discovery/look.ts'
import { placesUnder } from '#discovery/places.ts'
import type { SeenProgram } from '#discovery/port.ts'
import { usualPlaces } from '#discovery/schema/completions.ts'
import { figFolder } from '#discovery/schema/fig-spec.ts'
import { openWalls } from '#discovery/walls.ts'
import { onPath } from '#lib/on-path.ts'
import { someAtATime } from '#lib/some-at-a-time.ts'
import { labelledSubcommands } from './labelled-subcommands.ts'
import { labelledTools } from './labelled-tools.ts'
import { makeMachine } from './made-machine.ts'
import { seen, wallParts } from './odd-programs.ts'
import { toolFacts } from './tool-facts.ts'

/** How many were looked at, and what is wrong with those that are not as their label says. */
export interface Judged {
  looked: number
  wrong: string[]
}

/** What each is taken for, on a machine that is made up of what their packages ship. */
export async function judgeClasses(): Promise<Judged> {
  await using machine = await makeMachine()
  for (const { name } of labelledTools) await machine.install(name, toolFacts[name])
  const { programs } = await openLook(placesUnder(machine.root, machine.home))(machine.folders, {})
  return classesOf(programs)
}

/** The same of those that are really here. */
export async function judgeClassesHere(): Promise<Judged> {
  const folders = (process.env['PATH'] ?? '').split(':').filter(isAbsolute)
  const { programs } = await openLook(placesUnder('/', homedir()))(folders, {})
  return classesOf(programs)
}

function classesOf(programs: readonly SeenProgram[]): Judged {
  const classes = new Map(programs.map((program) => [program.name, program.class]))
  const there = labelledTools.filter(({ name }) => classes.has(name))
  const wrong = there.filter((tool) => classes.get(tool.name) !== tool.class)
  return {
    looked: there.length,
    wrong: wrong.map(
      (tool) => `${tool.name} is a ${tool.class}, and was taken for a ${classes.get(tool.name)}`,
    ),
  }
}

/** Coding agents are spoken to by adapters of their own. Those that are not on this machine are known by Fig alone. */
const asked = labelledTools.filter((tool) => tool.class !== 'agent')

/** The commands of the first level; and of how many the program itself was there to be asked. */
export async function judgeSubcommands(): Promise<Judged & { here: number }> {
  const walls = openWalls(wallParts)
  // Only the first level is looked at.
  const patienceMs = { whole: 30_000, known: 0, unknown: 0 }
  const describe = openDescribe({ walls, completions: usualPlaces, figFolder: figFolder(), patienceMs })
  const where = (name: string) => onPath(name, process.env['PATH'] ?? '')
  try {
    const found = await someAtATime(asked, 2, async ({ name, class: kind }) => {
      const program = { ...seen(where(name) ?? `/nowhere/${name}`, name), class: kind }
      const schema = await describe(program).catch(() => undefined)
      const words = schema?.commands.flatMap((command) => (command.words.length === 1 ? command.words : []))
      return misfit(name, words ?? [])
    })
    return {
      looked: asked.length,
      wrong: found.filter((one) => one !== undefined),
      here: asked.filter(({ name }) => where(name) !== undefined).length,
    }
  } finally {
    await walls.close()
  }
}

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
