import { join } from 'node:path'
import type { Config } from '#config/config.ts'
import type { Agent } from '#contract/agent.ts'
import type { TurnAsked } from '#contract/keeper.ts'
import type { WorkspaceSpec } from '#contract/workspace.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Database } from '#db/pool.ts'
import { findSession, hasBegun, spentIn, spentToday } from '#db/sessions.ts'
import { chainAbove } from '#db/spawns.ts'
import { withinChain } from '#domain/spawn.ts'
import { limitsOf, withinBudgets } from '#domain/turn.ts'
import { giveOwnTools } from './own-tools.ts'

interface Asked {
  db: Database
  config: Config
  row: ExecutionRow
  agent: Agent
  text: string
  workspace: WorkspaceSpec
}

/** What the keeper is told of a turn: what to say, in which session, and what it may spend. */
export async function planTurn({ db, config, row, agent, text, workspace }: Asked): Promise<TurnAsked> {
  const session = await findSession(db, row.sessionId)
  if (!session) throw new Error(`Execution ${row.id} has no session`)
  const { stallAfterMs, agentIdleMs } = config.worker
  const spent = await spentIn(db, row.sessionId)
  const forkedRef = row.fork && session.parentSessionId ? await refOf(db, session.parentSessionId) : null
  return {
    prompt: { text, files: row.files },
    sessionRef: session.sessionRef ?? forkedRef,
    isContinued: session.adoptedAt !== null || row.fork || (await hasBegun(db, row.sessionId)),
    fork: forkedRef !== null && session.sessionRef === null,
    model: session.model ?? agent.model,
    mode: session.mode ?? agent.mode,
    mcpServers: agent.mcpServers,
    ownTools: await giveOwnTools(db, config, row, workspace),
    spentUsd: spent.costUsd,
    limits: withinBudgets(
      withinChain(limitsOf(agent, spent), await chainAbove(db, row.sessionId)),
      config.budgets,
      await spentToday(db),
    ),
    stallMs: stallAfterMs,
    idleMs: Math.min(agentIdleMs, config.sessionTtlMs),
    framesFile: framesFileOf(config, row.id),
  }
}

const refOf = async (db: Database, sessionId: string): Promise<string | null> =>
  (await findSession(db, sessionId))?.sessionRef ?? null

/** Every line that the agent's protocol says in this execution. */
export const framesFileOf = (config: Config, executionId: string): string =>
  join(framesFolder(config), `${executionId}.ndjson`)

export const framesFolder = (config: Config): string => join(config.log.dir, 'frames')
