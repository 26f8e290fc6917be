import type { Keeper } from './keeper.ts'

const longestLookMs = 30_000

export interface Patience {
  /** With nothing to keep. */
  idleMs: number
  /** With records that nobody comes to copy. */
  abandonedMs: number
}

/** Tells when a keeper is not needed any more. What is returned is called whenever somebody asks for something. */
export function watchIdleness(keeper: Keeper, patience: Patience, onIdle: () => void): () => void {
  let lastAsked = performance.now()
  const look = () => {
    const { executions, agents, terminals, walls } = keeper
    if (walls.isBusy || Date.now() - (walls.usedAt ?? 0) < patience.idleMs) return
    if (agents.length + terminals.length > 0 || executions.some(({ state }) => state !== 'ended')) return
    const enough = executions.length === 0 ? patience.idleMs : patience.abandonedMs
    if (performance.now() - lastAsked >= enough) onIdle()
  }
  setInterval(look, Math.min(longestLookMs, patience.idleMs / 4))
  return () => (lastAsked = performance.now())
}
