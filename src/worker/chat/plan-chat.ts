import type { ModelNamed } from '#chat/port.ts'
import { ModelUnavailable } from '#chat/port.ts'
import type { Chat, TurnLimits } from '#chat/port.ts'
import type { Config } from '#config/config.ts'
import { findAgent } from '#db/agents.ts'
import { findCapability } from '#db/capabilities.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Database } from '#db/pool.ts'
import { findSession, spentIn, spentToday } from '#db/sessions.ts'
import { chainAbove } from '#db/spawns.ts'
import { findTask } from '#db/tasks.ts'
import { dangerOf } from '#domain/danger.ts'
import { Problem } from '#domain/problem.ts'
import { withinChain } from '#domain/spawn.ts'
import { isForkToMake, isTurn, limitsOf, withinBudgets } from '#domain/turn.ts'
import { checkDangerGranted } from '#flows/ask-danger.ts'
import type { Caller } from '#tools/port.ts'

export interface ChatPlan {
  model: ModelNamed
  limits: TurnLimits
  timeoutMs: number
  began: 'new' | 'resumed' | 'forked'
  caller: Extract<Caller, { kind: 'agent' }>
}

interface Needs {
  db: Database
  config: Config
  chat: Pick<Chat, 'choose'>
}

/** What a turn with a model may do and spend. Everything is checked again. Throws a Problem that says why it cannot be taken. */
export async function planChat({ db, config, chat }: Needs, row: ExecutionRow): Promise<ChatPlan> {
  const [capability, agent, session, task, spentHere, chain, today] = await Promise.all([
    row.capabilityId ? findCapability(db, row.capabilityId) : undefined,
    row.agentId ? findAgent(db, row.agentId) : undefined,
    findSession(db, row.sessionId),
    row.taskId ? findTask(db, row.taskId) : undefined,
    // What it has spent itself, before it was cut off, its own meter goes on from.
    spentIn(db, row.sessionId, row.id),
    chainAbove(db, row.sessionId, row.id),
    spentToday(db, row.id),
  ])
  if (!agent || !capability || !session)
    throw new Problem('does_not_fit', `The agent ${row.agentName} or its capability was deleted meanwhile`)
  if (!agent.active) throw new Problem('agent_inactive', `The agent ${agent.name} was deactivated meanwhile`)
  if (agent.adapter !== 'chat' || !isTurn(capability))
    throw new Problem('adapter_unavailable', `${agent.name} cannot be run in this way`)
  await checkDangerGranted(db, row, dangerOf(agent, capability, row, task ?? null))
  const spent = withinBudgets(withinChain(limitsOf(agent, spentHere), chain), config.budgets, today)
  const { maxOutputTokens, maxHistoryTokens, maxHistoryMessages, summaries } = config.chat
  return {
    model: chosen(chat, session.model ?? agent.model),
    limits: {
      ...spent,
      outputTokens: maxOutputTokens,
      historyTokens: maxHistoryTokens,
      historyMessages: maxHistoryMessages,
      summaries,
    },
    timeoutMs: capability.timeoutSec * 1000,
    began: isForkToMake(session) ? 'forked' : row.sessionRef === null ? 'new' : 'resumed',
    caller: {
      kind: 'agent',
      id: `agent:${agent.id}`,
      agentId: agent.id,
      agentName: agent.name,
      allowedTools: agent.allowedTools,
      sessionId: row.sessionId,
      executionId: row.id,
      onBehalfOf: session.createdBy,
    },
  }
}

function chosen(chat: Pick<Chat, 'choose'>, wanted: string | null): ModelNamed {
  try {
    return chat.choose(wanted)
  } catch (error) {
    if (!(error instanceof ModelUnavailable)) throw error
    throw new Problem('model_unavailable', error.message, { variables: error.variables })
  }
}
