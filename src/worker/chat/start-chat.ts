import type { Config } from '#config/config.ts'
import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { HandedOver } from '#db/hand-over.ts'
import { leaseOf, takeLease } from '#db/leases.ts'
import type { DatabasePool } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { takeChat } from '#flows/take-chat.ts'
import { endUnstarted, reasonOf } from '../start.ts'
import type { Start } from '../start.ts'
import type { ChatNeeds } from './drive-chat.ts'
import { planChat } from './plan-chat.ts'
import { readHistory } from './ready-chat.ts'
import type { ReadyChat } from './ready-chat.ts'

interface Needs {
  pool: DatabasePool
  config: () => Config
  machineId: string
  workerId: string
  chat: ChatNeeds['chat']
}

type ChatStart =
  | Exclude<Start, { outcome: 'started' }>
  /** It begins in this moment; nothing but whoever drives it has it. */
  | { outcome: 'chats'; row: ExecutionRow; ready: ReadyChat }

/** Begins a queued turn with a model, once, however often it is tried. Nothing is waited for that can be done meanwhile. */
export async function startChat(
  needs: Needs,
  { executionId: id, sessionId: heard }: Pick<HandedOver, 'executionId' | 'sessionId'>,
): Promise<ChatStart> {
  const { pool, config, machineId, workerId } = needs
  const sessionId = heard ?? (await findExecution(pool.db, id))?.sessionId
  if (sessionId === undefined) return { outcome: 'settled' }
  const named = { id, sessionId }
  const chat = await needs.chat().catch((error: unknown) => reasonOf(error))
  if (typeof chat === 'string') return { outcome: 'failed', reason: chat }
  try {
    const [plan, history] = await pool.together((db) =>
      Promise.all([
        planChat({ db, config: config(), chat }, named),
        readHistory(db, chat, sessionId, config().chat),
      ]),
    )
    // Whatever is past its start is for recovery to take up.
    if (plan.row.status !== 'queued' || plan.row.machineId !== machineId) return { outcome: 'settled' }
    const defaultFolder = config().allowedWorkingDirs[0] ?? config().home
    const taken = pool.transaction((tx) => takeChat(tx, named, { machineId, workerId, defaultFolder }))
    taken.catch(() => undefined) // whoever drives it is told
    return { outcome: 'chats', row: plan.row, ready: { plan, history, taken } }
  } catch (error) {
    if (!(error instanceof Problem)) return { outcome: 'failed', reason: reasonOf(error) }
    const row = await pool.transaction((tx) => takeLease(tx, id, machineId, workerId))
    if (row) await endUnstarted(pool, leaseOf(row), error.message)
    return { outcome: 'settled' }
  }
}
