import { z } from 'zod'
import { ToolListing } from '#contract/tool.ts'
import type { Tool } from '#contract/tool.ts'
import { inertLine } from '#lib/inert-text.ts'
import { ask } from './client.ts'
import type { Connection } from './connection.ts'
import type { Screen } from './screen.ts'
import { show } from './show-list.ts'
import type { Column } from './table.ts'

export interface ToolListOptions {
  source?: string
  q?: string
  json?: boolean
}

const stateOf = ({ definition, unavailable, notes }: Tool): string =>
  unavailable !== undefined ? 'away' : definition === 'changed' ? 'changed' : notes ? 'unchecked' : ''

const columns: Column<Tool>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'STATE', text: stateOf, colour: () => 'yellow', spare: 2 },
  { title: 'WHAT IT DOES', text: ({ title, description }) => description || title || '', flexible: true },
]

export async function listTools(
  connection: Connection,
  screen: Screen,
  options: ToolListOptions,
): Promise<void> {
  const { source, q } = options
  const query = new URLSearchParams({ ...(source && { source }), ...(q && { q }) }).toString()
  const { namespaces, collisions } = await ask(connection, `/tools${query && `?${query}`}`, ToolListing)
  const tools = Object.values(namespaces).flatMap((namespace) => namespace.tools)
  const none =
    source || q ? 'No tool fits.' : 'No tools yet. `signalbox tools add` registers where they come from.'
  show(screen, options.json ? { json: true } : {}, tools, columns, none)
  if (options.json) return
  for (const { told } of collisions) process.stderr.write(`${inertLine(told)}\n`)
}

/** As it is now, after its source has changed it. */
export async function acceptTool(
  connection: Connection,
  screen: Screen,
  name: string,
  options: { json?: boolean },
): Promise<void> {
  const path = `/tools/${encodeURIComponent(name)}/accept`
  await ask(connection, path, z.object({}), { method: 'POST' })
  screen.write(options.json ? '{}\n' : `${name} is accepted as it is now.\n`)
}
