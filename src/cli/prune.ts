import { createInterface } from 'node:readline/promises'
import { Pruned } from '#contract/workspace.ts'
import { ask } from './client.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'
import { inBytes } from './in-bytes.ts'
import type { Screen } from './screen.ts'
import { formatTable } from './table.ts'
import type { Column } from './table.ts'

export interface PruneOptions {
  dryRun?: boolean
  yes?: boolean
  json?: boolean
}

type Item = Pruned['items'][number]

const columns: Column<Item>[] = [
  { title: 'WHAT', text: ({ kind }) => kind },
  { title: 'NAME', text: ({ name }) => name, flexible: true },
  { title: 'SIZE', text: ({ bytes }) => inBytes(bytes) },
  { title: 'WHY', text: ({ reason }) => reason, spare: 1 },
]

/** Tells what belongs to nobody; and removes it, once somebody has said yes to that. */
export async function prune(connection: Connection, screen: Screen, options: PruneOptions): Promise<void> {
  const { dryRun = false, yes = false, json = false } = options
  const found = await pruned(connection, true)
  if (dryRun || found.items.length === 0) return show(screen, found, json)
  if (!yes) {
    if (!process.stdin.isTTY) throw new Failure('Say --yes to remove it, or --dry-run to see what it is')
    show(screen, found, false)
    if (!(await isSure(found))) return screen.write('Nothing was removed.\n')
  }
  show(screen, await pruned(connection, false), json)
}

const pruned = (connection: Connection, dryRun: boolean): Promise<Pruned> =>
  ask(connection, '/workspaces/prune', Pruned, { method: 'POST', body: { dryRun }, patienceMs: 600_000 })

function show(screen: Screen, { isDryRun, items, bytes }: Pruned, json: boolean): void {
  if (json) return screen.write(`${JSON.stringify({ isDryRun, items, bytes }, null, 2)}\n`)
  if (items.length === 0) return screen.write('There is nothing to remove.\n')
  screen.write(formatTable(screen, items, columns))
  screen.write(`${isDryRun ? 'Can be removed' : 'Removed'}: ${items.length}, ${inBytes(bytes)}\n`)
}

async function isSure({ items }: Pruned): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(
      `Remove ${items.length === 1 ? 'it' : 'all of it'} for good? [y/N] `,
    )
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
