import { judgeClasses, judgeClassesHere, judgeSubcommands } from '../../test/support/discovery/labelled.ts'
import type { Judged } from '../../test/support/discovery/labelled.ts'
import type { Figure } from '../figure.ts'

/** How much of what is said of common tools is right, by labels that were written down independently. */
export default async function labelled(): Promise<Figure[]> {
  const [made, here, commands] = [await judgeClasses(), await judgeClassesHere(), await judgeSubcommands()]
  for (const { wrong } of [made, here, commands])
    for (const one of wrong) process.stderr.write(`  wrong: ${one}\n`)
  return [
    right(`classes of ${made.looked} labelled tools, by what their packages ship`, made),
    right(`  of the ${here.looked} of them that are on this machine`, here),
    right(
      `subcommands of ${commands.looked} labelled tools, ${commands.here} of them asked on this machine`,
      commands,
    ),
  ]
}

const right = (name: string, { looked, wrong }: Judged): Figure => ({
  name: `right ${name}`,
  ours: ((looked - wrong.length) / looked) * 100,
  unit: '%',
  target: { least: 95 },
})
