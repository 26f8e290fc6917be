import { Failure } from './failure.ts'
import type { Screen } from './screen.ts'
import { formatTable } from './table.ts'
import type { Column } from './table.ts'

export interface ListOptions {
  json?: boolean
  status?: string
  q?: string
  agent?: string
  task?: string
}

/** What is listed decides which statuses there are. */
export function oneOf(statuses: readonly string[], given: string | undefined): string | undefined {
  if (given === undefined || statuses.includes(given)) return given
  throw new Failure(`There is no status "${given}". Allowed choices are ${statuses.join(', ')}`)
}

export function show<Row>(
  screen: Screen,
  { json }: ListOptions,
  rows: Row[],
  columns: Column<Row>[],
  empty: string,
): void {
  if (json) screen.write(`${JSON.stringify(rows, null, 2)}\n`)
  else screen.write(rows.length === 0 ? `${empty}\n` : formatTable(screen, rows, columns))
}
