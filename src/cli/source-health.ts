import { HealthListing } from '#contract/source.ts'
import type { SourceHealth, SourceStatus } from '#contract/source.ts'
import { inertLine } from '#lib/inert-text.ts'
import { ask } from './client.ts'
import type { Connection } from './connection.ts'
import { printJson } from './output.ts'
import type { Colour, Screen } from './screen.ts'
import { formatTable } from './table.ts'
import type { Column } from './table.ts'

const colours: Record<SourceStatus, Colour> = {
  connecting: 'blue',
  healthy: 'green',
  unhealthy: 'red',
  unauthorized: 'yellow',
  disabled: 'dim',
}

const columns: Column<SourceHealth>[] = [
  { title: 'STATUS', text: ({ status }) => status, colour: ({ status }) => colours[status] },
  { title: 'NAME', text: ({ name }) => name },
  { title: 'TOOLS', text: ({ tools }) => String(tools), spare: 3 },
  { title: 'PROTOCOL', text: ({ protocol }) => protocol ?? '', colour: () => 'dim', spare: 4 },
  { title: 'LAST ERROR', text: ({ error }) => error ?? '', flexible: true },
  { title: 'NEXT TRY', text: ({ nextRetryAt }) => nextRetryAt ?? '', colour: () => 'dim', spare: 2 },
]

/** In one line. */
export const wordsOf = ({ status, tools, error }: SourceHealth): string =>
  `${status}${status === 'healthy' ? `, with ${tools} ${tools === 1 ? 'tool' : 'tools'}` : ''}${error ? `: ${inertLine(error)}` : ''}`

/** Answers with the exit code. */
export async function showHealth(
  connection: Connection,
  screen: Screen,
  { json }: { json?: boolean },
): Promise<number> {
  const listing = await ask(connection, '/mcp/health', HealthListing)
  const { summary, servers } = listing
  if (json) await printJson(listing)
  else if (servers.length === 0) screen.write('No sources yet. `signalbox tools add` registers one.\n')
  else screen.write(formatTable(screen, servers, columns))
  return summary.unhealthy > 0 ? 1 : 0
}
