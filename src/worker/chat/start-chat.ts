import type { Config } from '#config/config.ts'
import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
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
export async function startChat(needs: Needs, id: string): Promise<ChatStart> {
  const { pool, config, machineId, workerId } = needs
  const queued = await findExecution(pool.db, id)
  // Whatever is past its start is for recovery to take up.
  if (queued?.status !== 'queued' || queued.machineId !== machineId) return { outcome: 'settled' }
  try {
    const chat = await needs.chat()
    const [plan, history] = await Promise.all([
      planChat({ db: pool.db, config: config(), chat }, queued),
      readHistory(pool.db, chat, queued.sessionId, config().chat),
    ])
    const defaultFolder = config().allowedWorkingDirs[0] ?? config().home
    const taken = pool.transaction((tx) => takeChat(tx, queued, { machineId, workerId, defaultFolder }))
    taken.catch(() => undefined) // whoever drives it is told
    return { outcome: 'chats', row: queued, ready: { plan, history, taken } }
  } catch (error) {
    if (!(error instanceof Problem)) return { outcome: 'failed', reason: reasonOf(error) }
    const row = await pool.transaction((tx) => takeLease(tx, id, machineId, workerId))
    if (row) await endUnstarted(pool, leaseOf(row), error.message)
    return { outcome: 'settled' }
  }
}
