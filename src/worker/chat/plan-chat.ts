import type { ModelNamed } from '#chat/port.ts'
import { ModelUnavailable } from '#chat/port.ts'
import type { Chat, TurnLimits } from '#chat/port.ts'
import type { Config } from '#config/config.ts'
import { findAsked } from '#db/approvals.ts'
import { findChatTurn } from '#db/chat-turns.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Database, Tx } from '#db/pool.ts'
import { chainAbove } from '#db/spawns.ts'
import { dangerRequest } from '#domain/approval.ts'
import { dangerOf } from '#domain/danger.ts'
import { Problem } from '#domain/problem.ts'
import { withinChain } from '#domain/spawn.ts'
import { isForkToMake, isTurn, limitsOf, withinBudgets } from '#domain/turn.ts'
import { checkGranted } from '#flows/ask-danger.ts'
import type { Caller } from '#tools/port.ts'

export interface ChatPlan {
  /** It as it was when this was planned. */
  row: ExecutionRow
  model: ModelNamed
  limits: TurnLimits
  timeoutMs: number
  began: 'new' | 'resumed' | 'forked'
  /** Its session is known by this model already, and as one that goes on. */
  isAsBefore: boolean
  caller: Extract<Caller, { kind: 'agent' }>
}

interface Needs {
  db: Database | Tx
  config: Config
  chat: Pick<Chat, 'choose'>
}

/** What a turn with a model may do and spend. Everything is checked again. Throws a Problem that says why it cannot be taken. */
export async function planChat(
  { db, config, chat }: Needs,
  { id, sessionId }: Pick<ExecutionRow, 'id' | 'sessionId'>,
): Promise<ChatPlan> {
  // What it has spent itself, before it was cut off, its own meter goes on from.
  const [turn, chain, approval] = await Promise.all([
    findChatTurn(db, id),
    chainAbove(db, sessionId, id),
    findAsked(db, id, dangerRequest),
  ])
  if (!turn) throw new Error(`Execution ${id} is gone`)
  const { execution: row, agent, capability, session, task, spentHere, spentTodayUsd } = turn
  if (!agent || !capability)
    throw new Problem('does_not_fit', `The agent ${row.agentName} or its capability was deleted meanwhile`)
  if (!agent.active) throw new Problem('agent_inactive', `The agent ${agent.name} was deactivated meanwhile`)
  if (agent.adapter !== 'chat' || !isTurn(capability))
    throw new Problem('adapter_unavailable', `${agent.name} cannot be run in this way`)
  checkGranted(approval, dangerOf(agent, capability, row, task))
  const spent = withinBudgets(withinChain(limitsOf(agent, spentHere), chain), config.budgets, spentTodayUsd)
  const model = chosen(chat, session.model ?? agent.model)
  const began = isForkToMake(session) ? 'forked' : row.sessionRef === null ? 'new' : 'resumed'
  const { facts } = session
  const { maxOutputTokens, maxHistoryTokens, maxHistoryMessages, summaries } = config.chat
  return {
    row,
    model,
    limits: {
      ...spent,
      outputTokens: maxOutputTokens,
      historyTokens: maxHistoryTokens,
      historyMessages: maxHistoryMessages,
      summaries,
    },
    timeoutMs: capability.timeoutSec * 1000,
    began,
    isAsBefore:
      facts.sessionRef === row.sessionId &&
      row.sessionRef === row.sessionId &&
      facts.model === model.name &&
      facts.began === began,
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
