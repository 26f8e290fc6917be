import { setTimeout as wait } from 'node:timers/promises'
import { endMarked } from '#lib/marked-processes.ts'

/** In the environment of everything that a source starts, with the home it belongs to. Never that of an agent. */
export const sourcesMark = 'SIGNALBOX_SOURCES_OF'
/** The same, with a value for each start of a program. */
export const programMark = 'SIGNALBOX_SOURCE_PROGRAM'

/**
 * Ends what the sources of a worker that was killed have left running. To be called before the first source is opened. False when
 * something outlived that. Never rejects.
 */
export const endStraySources = (home: string): Promise<boolean> =>
  endMarked(sourcesMark, [home], { graceMs: 2_000 })

const gatherMs = 20
let gathering: { programs: string[]; ended: Promise<unknown> } | undefined

/** Ends everything of one start of a program. Who asks at the same time is done at the same time: to look for one costs as much as for all. */
export async function endProgram(program: string): Promise<void> {
  gathering ??= gather()
  gathering.programs.push(program)
  await gathering.ended
}

function gather(): NonNullable<typeof gathering> {
  const programs: string[] = []
  const ended = wait(gatherMs).then(() => {
    gathering = undefined
    return endMarked(programMark, programs, { graceMs: 2_000 })
  })
  return { programs, ended }
}
