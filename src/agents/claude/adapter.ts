import { NotStarted } from '#lib/program.ts'
import type { SessionAdapter } from '../port.ts'

export const claudeAdapter: SessionAdapter = {
  open: () => Promise.reject(new NotStarted('Agents that speak claude cannot be run yet')),
}
