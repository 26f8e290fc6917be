import { ImportedSources } from '#contract/source.ts'
import type { ImportFrom } from '#contract/source.ts'
import { inertLine } from '#lib/inert-text.ts'
import { ask } from './client.ts'
import type { Connection } from './connection.ts'
import { printJson } from './output.ts'
import type { Screen } from './screen.ts'

const longestMs = 300_000

export async function importSources(
  connection: Connection,
  screen: Screen,
  from: ImportFrom,
  names: string[],
  { dryRun = false, json }: { dryRun?: boolean; json?: boolean },
): Promise<void> {
  const body = { from, dryRun, ...(names.length > 0 && { names }) }
  const question = { method: 'POST', body, patienceMs: longestMs } as const
  const taken = await ask(connection, '/mcp/import', ImportedSources, question)
  if (json) return printJson(taken)
  const { imported, skipped } = taken
  if (imported.length + skipped.length === 0)
    return screen.write(`${from} knows no MCP servers on that machine.\n`)
  const verb = dryRun ? 'Would take' : 'Took'
  for (const name of imported) screen.write(`${screen.paint('green', verb)} ${inertLine(name)}\n`)
  for (const { name, why } of skipped)
    screen.write(`${screen.paint('yellow', 'Skipped')} ${inertLine(name)}: ${inertLine(why)}\n`)
}
