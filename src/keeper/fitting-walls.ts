import type { EnclosedSpec } from '#contract/workspace.ts'

/** What walls are needed for: a call of a tool, the start of the app, the start of a program. */
export type Work = 'tool' | 'app' | 'program'

/**
 * Whether walls that stand will do for this: `for now` means until nobody else is at work in them any more.
 * What may go out and what is added on the way is decided anew for each connection.
 */
export function fitOf(standing: EnclosedSpec, wanted: EnclosedSpec, work: Work): 'yes' | 'for now' | 'no' {
  if (shapeOf(standing) !== shapeOf(wanted)) return 'no'
  // What is mounted are agents: tools and the app need none of it.
  if (work === 'program' && !wanted.mounts.every((mount) => standing.mounts.includes(mount))) return 'no'
  if (JSON.stringify(standing.app) === JSON.stringify(wanted.app)) return 'yes'
  return work === 'app' ? 'no' : 'for now'
}

const shapeOf = ({ driver, root, homes, image, limits }: EnclosedSpec): string =>
  JSON.stringify([driver, root, homes, image, limits])

/** For those whose work has to wait until the others are done. */
export const othersAtWork: Record<Work, string> = {
  tool: 'The settings of this workspace were changed, and others are at work in it. What encloses it is put up anew when they are done: try again then.',
  app: 'The settings of this workspace or its app were changed, and others are at work in it. The app that was there goes on; start the new one when they are done.',
  program:
    'What encloses this workspace has to be put up anew for this agent, and others are at work in it. Try again when they are done.',
}
