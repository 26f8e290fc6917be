import { NotStarted } from '#lib/program.ts'
import type { SessionAdapter } from '../port.ts'

export const acpAdapter: SessionAdapter = {
  open: () => Promise.reject(new NotStarted('Agents that speak acp cannot be run yet')),
}
