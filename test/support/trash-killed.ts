import { pino } from 'pino'
import { openPool } from '#db/pool.ts'
import { owner } from '#domain/access.ts'
import { openTurns } from '#worker/in-turn.ts'
import { openWorkspaceVerbs } from '#worker/workspace-verbs.ts'
import type { VerbNeeds } from '#worker/workspace-verbs.ts'
import { openWorkspaces } from '#workspaces/open.ts'

// A worker that is killed while it puts a workspace into the trash: right after the files have moved.

const { url, home, machineId, workspaceId } = JSON.parse(process.env['ASKED'] ?? '{}')
const log = pino({ level: 'silent' })
const workspaces = openWorkspaces({ home, drivers: {}, log })
const needs = {
  pool: openPool(url),
  keepers: { all: async () => [] },
  workspaces: {
    ...workspaces,
    async trash(asked: Parameters<typeof workspaces.trash>[0]) {
      await workspaces.trash(asked)
      process.kill(process.pid, 'SIGKILL')
    },
  },
  log,
  machineId,
  turns: openTurns(),
}
await openWorkspaceVerbs(needs as unknown as VerbNeeds)({ workspaceId, verb: 'trash', input: {}, by: owner })
