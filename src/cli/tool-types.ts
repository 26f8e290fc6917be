import { open } from './client.ts'
import type { Connection } from './connection.ts'
import { print } from './output.ts'

/** Prints what code can call: all of it, one source (`github`), or one tool (`github.create_issue`). */
export async function printTypes(
  connection: Connection,
  wanted: string | undefined,
  { source }: { source?: string },
): Promise<void> {
  const named = wanted ?? source
  const query = named === undefined ? {} : named.includes('.') ? { tool: named } : { namespace: named }
  const search = new URLSearchParams(query).toString()
  const answer = await open(connection, `/tools/api.d.ts${search && `?${search}`}`, {})
  await print(process.stdout, await answer.text())
}
