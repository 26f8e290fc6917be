import { setImmediate as breath } from 'node:timers/promises'
import type { Habits } from '../port.ts'
import { readAliases } from './aliases.ts'
import { commandsIn } from './commands.ts'
import { commandsOfHistories } from './histories.ts'
import { programsOf } from './program-names.ts'

const mostNames = 20_000
const commandsABreath = 500

/** Counts what people here call, by the shells' own files. An alias counts for what it stands for. Never rejects. */
export async function readHabits(home: string): Promise<Habits> {
  const aliases = await readAliases(home)
  const uses = new Map<string, number>()
  let read = 0
  for await (const line of commandsOfHistories(home)) {
    for (const words of commandsIn(line))
      for (const called of programsOf(words)) {
        const name = aliases.get(called) ?? called
        if (uses.has(name) || uses.size < mostNames) uses.set(name, (uses.get(name) ?? 0) + 1)
      }
    read += 1
    // Who waits for this process shall not wait for a history of eight megabytes.
    if (read % commandsABreath === 0) await breath()
  }
  return { uses, aliases }
}
