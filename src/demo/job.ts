/** What the demo agent saw of a folder. */
export interface Seen {
  files: readonly string[]
  folders: readonly string[]
  /** Whether there was more than it looked at. */
  isCut: boolean
  /** The first line of the README, if there is one. */
  about: string | null
}

export const notesFile = 'SIGNALBOX-DEMO.md'

const steps = ['Look at what is in this folder', `Ask whether I may write ${notesFile}`, 'Write it'] as const
export type Step = 0 | 1 | 2

/** The plan as it stands while a step is being done; none is left when all are. */
export const planAt = (now: Step | 'done'): { content: string; priority: string; status: string }[] =>
  steps.map((content, step) => ({
    content,
    priority: 'medium',
    status: now === 'done' || step < now ? 'completed' : step === now ? 'in_progress' : 'pending',
  }))

/** Whether a message asks for the job: the first one of a session does, whatever it says, and later "again". */
export const asksForJob = (text: string, isFirst: boolean): boolean =>
  isFirst || /^\W*(once )?(again|once more)\b/i.test(text)

const ending = (file: string): string => /[^.]\.([a-z0-9]{1,10})$/i.exec(file)?.[1]?.toLowerCase() ?? ''

/** How many files there are of each kind, most first. */
export function kindsOf(files: readonly string[]): { ending: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const kind of files.map(ending)) if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts]
    .map(([kind, count]) => ({ ending: kind, count }))
    .toSorted((one, other) => other.count - one.count || one.ending.localeCompare(other.ending))
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

/** What goes into the file: what is true of the folder, and who says so. */
export function notes({ files, folders, isCut, about }: Seen): string {
  const own = files.filter((file) => file !== notesFile)
  const kinds = kindsOf(own)
    .slice(0, 5)
    .map(({ ending: kind, count }) => `${count} × .${kind}`)
  const lines = [
    `- ${isCut ? 'At least ' : ''}${counted(own.length, 'file')} and ${counted(folders.length, 'folder')} at the top`,
    ...(kinds.length > 0 ? [`- Kinds of files: ${kinds.join(', ')}`] : []),
    ...(about ? [`- The README begins with: ${about}`] : []),
  ]
  return [
    '# What is in this folder',
    '',
    'Written by the demo agent of Signalbox, which is a script and no model. Delete it whenever you like.',
    '',
    ...lines,
    '',
  ].join('\n')
}
