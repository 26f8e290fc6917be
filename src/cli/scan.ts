import { FoundProgram, ScanProgress } from '#contract/discovery.ts'
import type { ScanStage } from '#contract/discovery.ts'
import { inertLine } from '#lib/inert-text.ts'
import { ask, readAll } from './client.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'
import { follow } from './follow.ts'
import { note, print, printJson } from './output.ts'
import type { Colour, Screen } from './screen.ts'
import { formatTable } from './table.ts'
import type { Column } from './table.ts'

export interface ScanOptions {
  all?: boolean
  machine?: string
  json?: boolean
}

const inWords: Record<ScanStage, string> = {
  scan: 'looking at the folders of PATH',
  identify: 'finding out where programs come from',
  classify: 'finding out what they are',
  schema: 'finding out what can be asked of those that are used here',
  enrich: 'finding out how they are used',
  index: 'writing it down',
}

const colours: Colour[] = ['dim', 'plain', 'yellow', 'red']

const columns: Column<FoundProgram>[] = [
  { title: 'NAME', text: ({ name }) => name, colour: ({ preset }) => (preset ? 'green' : 'plain') },
  { title: 'CLASS', text: (program) => program.class, spare: 1 },
  {
    title: 'STATE',
    text: ({ state }) => state,
    colour: ({ state }) => (state === 'found' ? 'plain' : 'dim'),
    spare: 2,
  },
  {
    title: 'DANGER',
    text: ({ danger }) => String(danger),
    colour: ({ danger }) => colours[danger] ?? 'red',
    spare: 4,
  },
  { title: 'USES', text: ({ uses }) => (uses > 0 ? String(uses) : ''), spare: 3 },
  { title: 'VERSION', text: ({ version }) => version ?? '', colour: () => 'dim', spare: 5 },
  { title: 'WHAT IT IS', text: ({ description }) => description ?? '', flexible: true, spare: 6 },
]

/** What is shown of very many, unless all are wanted. */
const mostShown = 30

/** Looks for programs, says how that goes, and what there is. Answers with the exit code. */
export async function scan(connection: Connection, screen: Screen, options: ScanOptions): Promise<number> {
  const { all, machine, json } = options
  const body = machine ? { machineId: machine } : {}
  const begun = await ask(connection, '/discovery/scan', ScanProgress, { method: 'POST', body })
  const ended = await untilOver(connection, begun)
  const query = { machineId: begun.machineId, gone: 'false' }
  const programs = await readAll(connection, '/discovery', query, FoundProgram)
  if (json) await printJson({ scan: ended, programs })
  else await show(screen, ended, programs, all === true)
  return ended.status === 'failed' ? 1 : 0
}

async function untilOver(connection: Connection, begun: ScanProgress): Promise<ScanProgress> {
  const { machineId, scanId } = begun
  let last = begun
  let told = ''
  const take = (progress: ScanProgress): boolean => {
    if (progress.machineId !== machineId) return false
    // Somebody else began another one: what this one found is written by then.
    if (progress.scanId !== scanId) return progress.startedAt > begun.startedAt
    last = progress
    const words = inWords[progress.stage]
    if (words !== told && progress.status === 'running') note(`${words}…`)
    told = words
    return progress.status !== 'running'
  }
  await follow(connection, '/discovery/stream', {
    onLost: () => note('The connection is lost; reconnecting…'),
    async take(frame) {
      const { type, payload } = JSON.parse(frame.data) as { type?: string; payload?: unknown }
      if (type === 'scan') return take(ScanProgress.parse(payload))
      // The stream has begun: what was told before that is asked for once.
      const now = await ask(connection, `/discovery/scan?machineId=${machineId}`, ScanProgress.nullable())
      return now !== null && take(now)
    },
  })
  return last
}

async function show(
  screen: Screen,
  { status, error, found, added, gone, troubles }: ScanProgress,
  programs: readonly FoundProgram[],
  all: boolean,
): Promise<void> {
  if (status === 'failed') throw new Failure(`The scan failed: ${inertLine(error ?? 'nobody knows why')}`)
  for (const { path, reason } of troubles) note(inertLine(`${path}: ${reason}`))
  const shown = all ? programs : programs.slice(0, mostShown)
  if (shown.length > 0) await print(process.stdout, formatTable(screen, shown, columns))
  const others = programs.length - shown.length
  note(
    `${found} programs, ${added} of them new; ${gone} gone.${others > 0 ? ` ${others} are not shown: --all shows them.` : ''}`,
  )
}
