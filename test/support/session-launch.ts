import { tmpdir } from 'node:os'
import type { SessionLaunch } from '#agents/port.ts'
import { newId } from '#lib/id.ts'

export const usualTurn: SessionLaunch['turn'] = {
  prompt: { text: '', files: [] },
  sessionRef: null,
  isContinued: false,
  fork: false,
  model: null,
  mode: null,
  mcpServers: [],
  limits: { steps: null, costUsd: null, tokens: null },
  stallMs: 60_000,
  idleMs: 60_000,
  framesFile: null,
}

/** A turn of a session as a worker would ask for it, in a folder. */
export function sessionLaunch(
  given: Partial<Omit<SessionLaunch, 'turn'>> & Pick<SessionLaunch, 'adapter'>,
  turn: Partial<SessionLaunch['turn']> = {},
): SessionLaunch {
  const cwd = given.cwd ?? tmpdir()
  return {
    executionId: newId(),
    epoch: 1,
    workspace: { id: newId(), driver: 'folder', root: cwd },
    sessionId: newId(),
    program: process.execPath,
    argv: [],
    env: {},
    cwd,
    timeoutMs: 60_000,
    maxOutputBytes: 10_000_000,
    notAfter: Date.now() + 60_000,
    ...given,
    turn: { ...usualTurn, ...turn },
  }
}
