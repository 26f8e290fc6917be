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
