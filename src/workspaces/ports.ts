import { createHash } from 'node:crypto'
import { WorkspaceRefusal } from './port.ts'

const count = 10
const firstPort = 8000
/** 8000–8099 as long as there is room, and above when there is not. */
const near = 10
const all = 500

/** The same range for the same workspace as long as nobody has it. */
export function portsFor(workspaceId: string, taken: readonly number[]): { first: number; count: number } {
  const used = new Set(taken.map((port) => Math.floor((port - firstPort) / count)))
  const wish = createHash('sha256').update(workspaceId).digest().readUInt32BE() % near
  for (let step = 0; step < all; step += 1) {
    const slot = step < near ? (wish + step) % near : step
    if (!used.has(slot)) return { first: firstPort + slot * count, count }
  }
  throw new WorkspaceRefusal(
    'workspace_failed',
    'All ranges of ports are taken. Remove workspaces that nobody needs.',
  )
}
