import { setTimeout as pause } from 'node:timers/promises'
import { Execution, isLive } from '#contract/execution.ts'
import { ask, Unreachable } from './client.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'
import { follow } from './follow.ts'
import { note } from './output.ts'

const POLL_MS = 2000

/** Waits until all of them have ended, and answers with them as they are then. Stops early, without an answer, by `signal`. */
export async function waitFor(
  connection: Connection,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Execution[]> {
  const ended = new Map<string, Execution>()
  const readThem = async () => {
    for (const id of ids) {
      if (ended.has(id)) continue
      const execution = await ask(connection, `/executions/${id}`, Execution)
      if (!isLive(execution.status)) ended.set(id, execution)
    }
    return ended.size === new Set(ids).size
  }
  await followBoard(connection, readThem, new Set(ids), signal)
  return ids.flatMap((id) => ended.get(id) ?? [])
}

/** The board's stream says when to look: once it is open, and whenever one of them has ended. */
async function followBoard(
  connection: Connection,
  look: () => Promise<boolean>,
  ids: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await follow(connection, '/sse/board', {
      ...(signal && { signal }),
      onLost: () => note('The connection is lost; reconnecting…'),
      async take({ event, data }) {
        if (event !== 'ready' && !isEndOf(data, ids)) return false
        return lookUntilAnswered(look, signal)
      },
    })
  } catch (error) {
    if (!(error instanceof Failure) || error.refusal?.code !== 'forbidden') throw error
    // Not everybody who may run something may see the board.
    while (!(await lookUntilAnswered(look, signal))) await rest(signal)
  }
}

function isEndOf(data: string, ids: ReadonlySet<string>): boolean {
  const { type, payload } = JSON.parse(data) as { type?: string; payload?: { execution?: { id: string } } }
  return type === 'execution.completed' && ids.has(payload?.execution?.id ?? '')
}

async function lookUntilAnswered(look: () => Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
  while (!signal?.aborted) {
    try {
      return await look()
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      await rest(signal)
    }
  }
  return true
}

const rest = (signal?: AbortSignal) => pause(POLL_MS, undefined, signal && { signal }).catch(() => undefined)
