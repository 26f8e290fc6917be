import type { Principal } from '#contract/access.ts'
import type { Agent } from '#contract/agent.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { Execution } from '#contract/execution.ts'
import type { SpawnAgent } from '#contract/spawn.ts'
import { findAgent } from '#db/agents.ts'
import { promptCapabilitiesOf } from '#db/capabilities.ts'
import { lockStream } from '#db/events.ts'
import { lockExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import { rulesFor } from '#db/policy-rules.ts'
import type { Tx } from '#db/pool.ts'
import { findSession, spentToday } from '#db/sessions.ts'
import { chainAbove, familyOf } from '#db/spawns.ts'
import { findTask } from '#db/tasks.ts'
import { findWorkspace } from '#db/workspaces.ts'
import { liveExecutionOf } from '#domain/access.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { checkDepth, checkPace, isFreer, withinChain } from '#domain/spawn.ts'
import { limitsOf, withinBudgets } from '#domain/turn.ts'
import type { Budgets } from '#domain/turn.ts'
import { startExecution } from './start-execution.ts'

export interface SpawnRules {
  approvalExpiresMs: number
  budgets: Budgets
  /** Whatever is started waits for a person. */
  needsYes?: boolean
}

/**
 * Sets an agent to work in a session of its own: for a person at once, for an agent within the guards of domain/spawn.ts. The
 * board's stream is locked first, so that what is counted stays true until it is written, however many ask at once.
 */
export async function spawnAgent(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  wanted: SpawnAgent,
  { approvalExpiresMs, budgets, needsYes = false }: SpawnRules,
): Promise<Execution> {
  await lockStream(tx, BOARD_STREAM)
  const agent = await findAgent(tx, wanted.agentId)
  if (!agent) throw bodyMisfit('agentId', `there is no agent ${wanted.agentId}`)
  const capabilityId = await theWayToAsk(tx, agent)
  const parent = by.agent ? await theLiveOne(tx, liveExecutionOf(by.agent)) : undefined
  const chain = parent ? await chainAbove(tx, parent.sessionId) : []
  withinBudgets(withinChain(limitsOf(agent, { costUsd: 0, tokens: 0 }), chain), budgets, await spentToday(tx))
  const below = parent ? await placeBelow(tx, parent, agent) : undefined
  const { taskId = parent?.taskId ?? undefined, prompt } = wanted
  return startExecution(
    tx,
    by,
    handOver,
    {
      capabilityId,
      prompt,
      args: {},
      files: [],
      confirm: false,
      ...(taskId && { taskId }),
      ...below?.place,
    },
    { approvalExpiresMs, needsYes: needsYes || (below?.needsYes ?? false) },
  )
}

/** Holds an agent to its guards, and says where what it starts will work: within the same walls as itself. */
async function placeBelow(tx: Tx, parent: ExecutionRow, agent: Agent) {
  const task = parent.taskId ? await findTask(tx, parent.taskId) : undefined
  checkDepth({ depth: parent.depth, task: task ?? null })
  checkPace(await familyOf(tx, parent.sessionId, agent.id), agent.name)
  const workspace = parent.workspaceId ? await findWorkspace(tx, parent.workspaceId) : undefined
  if (workspace && workspace.machineId !== agent.machineId)
    throw bodyMisfit('agentId', `${agent.name} lives on another machine than the workspace that you work in`)
  const spawner = parent.agentId ? await findAgent(tx, parent.agentId) : undefined
  const place = { parentExecutionId: parent.id, ...(workspace && { workspaceId: workspace.id }) }
  const { mode } = (await findSession(tx, parent.sessionId)) ?? { mode: null }
  const asNow = spawner && { ...spawner, mode: mode ?? spawner.mode }
  return { place, needsYes: !asNow || isFreer(await ruled(tx, agent), await ruled(tx, asNow)) }
}

const ruled = async (tx: Tx, agent: Agent) => ({
  ...agent,
  ownRules: (await rulesFor(tx, agent.id)).filter(({ agentId }) => agentId === agent.id),
})

async function theLiveOne(tx: Tx, id: string): Promise<ExecutionRow> {
  const row = await lockExecution(tx, id)
  liveExecutionOf({ executionId: row.endedAt === null ? id : null })
  return row
}

/** The one way in which an agent is asked in words; of several the usual one. */
async function theWayToAsk(tx: Tx, { id, name }: Agent): Promise<string> {
  const ways = await promptCapabilitiesOf(tx, id)
  const [only] = ways.length > 1 ? ways.filter(({ key }) => key === usualKey) : ways
  if (only) return only.id
  if (ways.length === 0)
    throw new Problem(
      'adapter_unavailable',
      `${name} cannot be asked in words: it has no capability for that`,
    )
  const keys = ways.map(({ key }) => key).join(', ')
  throw bodyMisfit(
    'agentId',
    `${name} can be asked in several ways (${keys}), and none is called ${usualKey}`,
  )
}

const usualKey = 'ask'
