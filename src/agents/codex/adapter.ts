import { NotStarted } from '#lib/program.ts'
import type { SessionAdapter } from '../port.ts'

export const codexAdapter: SessionAdapter = {
  open: () => Promise.reject(new NotStarted('Agents that speak codex cannot be run yet')),
}
