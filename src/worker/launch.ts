import type { Config } from '#config/config.ts'
import type { Launch } from '#contract/keeper.ts'
import { findAgent } from '#db/agents.ts'
import { findCapability } from '#db/capabilities.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Lease } from '#db/leases.ts'
import type { Database } from '#db/pool.ts'
import { findTask } from '#db/tasks.ts'
import { dangerOf } from '#domain/danger.ts'
import { Problem } from '#domain/problem.ts'
import { argvOf, slotValues } from '#domain/template.ts'
import { isTurn, promptOf } from '#domain/turn.ts'
import { checkDangerGranted } from '#flows/ask-danger.ts'
import { planTurn } from './plan-turn.ts'
import { readyAgent } from './ready-agent.ts'
import type { Prepared } from './ready-workspace.ts'

/** Less than we wait for the keeper's answer: what it reads later than that it must not start. */
const launchWithinMs = 8_000

/**
 * What the keeper is told to start. Everything is checked again: the program may have vanished since it was registered,
 * the folder may have become a link. Throws a Problem that says why it cannot start, now or ever.
 */
export async function planLaunch(
  db: Database,
  config: Config,
  row: ExecutionRow,
  lease: Lease,
  prepared: Prepared,
): Promise<Launch> {
  const capability = row.capabilityId ? await findCapability(db, row.capabilityId) : undefined
  const agent = row.agentId ? await findAgent(db, row.agentId) : undefined
  if (!agent || !capability)
    throw new Problem('does_not_fit', `The agent ${row.agentName} or its capability was deleted meanwhile`)
  if (!agent.active) throw new Problem('agent_inactive', `The agent ${agent.name} was deactivated meanwhile`)
  const { binaryPath, adapter } = agent
  if (!binaryPath || adapter === 'chat' || (isTurn(capability) && adapter === 'template'))
    throw new Problem('adapter_unavailable', `${agent.name} cannot be run in this way`)
  const task = row.taskId ? await findTask(db, row.taskId) : undefined
  await checkDangerGranted(db, row, dangerOf(agent, capability, row, task ?? null))
  const ready = await readyAgent(
    {
      db,
      machine: { config, env: process.env },
      agent: { ...agent, binaryPath },
      sessionId: row.sessionId,
      isTalkedTo: isTurn(capability),
    },
    prepared,
  )
  const turn = isTurn(capability)
    ? await planTurn({
        db,
        config,
        row,
        agent,
        text: promptOf(capability, row.args, row.prompt, task ?? null),
        workspace: prepared.spec,
      })
    : undefined
  const values = slotValues(row.args, row.prompt, task ?? null)
  return {
    executionId: row.id,
    epoch: lease.epoch,
    sessionId: row.sessionId,
    workspace: prepared.spec,
    adapter: turn ? adapter : 'template',
    program: ready.program,
    argv: turn ? [...ready.argv, ...agent.args] : argvOf(agent, capability, values),
    env: ready.env,
    cwd: ready.cwd,
    timeoutMs: capability.timeoutSec * 1000,
    maxOutputBytes: capability.maxOutputBytes,
    memoryMb: agent.memoryMb,
    notAfter: Date.now() + launchWithinMs,
    ...(turn && { turn }),
  }
}
