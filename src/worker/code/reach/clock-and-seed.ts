import { createHash, randomBytes } from 'node:crypto'
import type { CodeWanted } from '#codemode/port.ts'
import type { CodeGrants } from '#domain/code-capabilities.ts'

/** What code sees of time and chance: a clock that stands still at its start, and numbers that follow from the request, unless it may have the real ones. */
export function clockAndSeed(
  { system }: Pick<CodeGrants, 'system'>,
  requestId: string,
  startedAt = Date.now(),
): Pick<CodeWanted, 'clockMs' | 'seed'> {
  const bytes = system.random ? randomBytes(16) : createHash('sha256').update(requestId).digest()
  return {
    clockMs: system.time ? null : startedAt,
    seed: [0, 4, 8, 12].map((at) => bytes.readInt32LE(at)),
  }
}
