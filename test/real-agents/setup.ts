import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { agents } from './agents.ts'
import { installAgents } from './install.ts'
import { scenarios } from './scenarios.ts'
import { drawTable, readCells } from './table.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the programs of the agents are. */
    agentPrograms: string
    /** Where the results are gathered. */
    cells: string
  }
}

/** Installs the agents before all tests, and prints the table after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide('agentPrograms', await installAgents())
  const cells = await mkdtemp(join(tmpdir(), 'signalbox-cells-'))
  project.provide('cells', cells)
  return async () => {
    const table = drawTable(Object.keys(scenarios), Object.keys(agents), await readCells(cells))
    process.stdout.write(`\n${table}\n`)
    await rm(cells, { recursive: true, force: true })
  }
}
