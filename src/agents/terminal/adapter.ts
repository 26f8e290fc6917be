import { NotStarted } from '#lib/program.ts'
import type { ProgramAdapter } from '../port.ts'

export const terminalAdapter: ProgramAdapter = {
  start: () => Promise.reject(new NotStarted('Agents in a terminal cannot be run yet')),
}
