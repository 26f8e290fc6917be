import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One agent in one scenario. `note` says what is particular about it, or why it cannot be. */
export interface Cell {
  agent: string
  scenario: string
  outcome: '✓' | '✗' | '–'
  note?: string
}

const fileIn = (folder: string) => join(folder, 'cells.ndjson')

export const noteCell = (folder: string, cell: Cell): Promise<void> =>
  appendFile(fileIn(folder), `${JSON.stringify(cell)}\n`)

export async function readCells(folder: string): Promise<Cell[]> {
  const lines = await readFile(fileIn(folder), 'utf8').catch(() => '')
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** Scenarios down, agents across, and what is to be said of single cells below. */
export function drawTable(scenarios: readonly string[], agents: readonly string[], cells: Cell[]): string {
  const notes = [...new Set(cells.flatMap(({ note }) => note ?? []))]
  const draw = (scenario: string, agent: string) => {
    const cell = cells.find((one) => one.scenario === scenario && one.agent === agent)
    if (!cell) return '?'
    return cell.outcome + (cell.note === undefined ? '' : ` ${notes.indexOf(cell.note) + 1}`)
  }
  const widest = Math.max(...scenarios.map(({ length }) => length))
  const row = (name: string, fields: string[]) =>
    `${name.padEnd(widest)}  ${fields.map((field, at) => field.padEnd(agents[at]!.length)).join('  ')}`.trimEnd()
  return [
    row('', [...agents]),
    ...scenarios.map((scenario) =>
      row(
        scenario,
        agents.map((agent) => draw(scenario, agent)),
      ),
    ),
    '',
    ...notes.map((note, at) => `${at + 1} ${note}`),
  ].join('\n')
}
