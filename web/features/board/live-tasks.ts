import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ExecutionStatus } from '../../../src/contract/execution.ts'
import { api } from '../../api.ts'
import { streamIsOpen } from '../../connection.ts'
import type { Aspect } from '../../ui/signal.tsx'
import { startListening } from '../session/executions-cache.ts'
import { liveKey, withLive } from '../session/live-cache.ts'
import type { Live } from '../session/live-cache.ts'

/** What moves on a card. */
export type Movement = Extract<Aspect, 'queued' | 'moving' | 'waits'>
export type Movements = ReadonlyMap<string, Movement>

/** What moves, by the task's id. */
export function useMovements(): Movements {
  const { data } = useQuery({
    queryKey: liveKey,
    queryFn: ({ signal }) => readLive(signal),
    structuralSharing: false,
  })
  return useMemo(() => movementsOf(data ?? new Map()), [data])
}

/** That something waits for a person outdoes all else. */
const rank: Record<Movement, number> = { queued: 0, moving: 1, waits: 2 }

function movementsOf(live: Live): Movements {
  const movements = new Map<string, Movement>()
  for (const { taskId, status, waitingApprovals } of live.values()) {
    if (!taskId) continue
    const now = waitingApprovals > 0 ? 'waits' : status === 'queued' ? 'queued' : 'moving'
    const known = movements.get(taskId)
    if (!known || rank[known] < rank[now]) movements.set(taskId, now)
  }
  return movements
}

const liveStatuses = ['queued', 'running', 'cancelling'] as const satisfies ExecutionStatus[]

async function readLive(signal: AbortSignal): Promise<Live> {
  await streamIsOpen()
  const toldMeanwhile = startListening()
  const pages = await Promise.all(
    liveStatuses.map((status) => api.executions({ status, pageSize: 500 }, signal)),
  )
  const read = pages.flatMap(({ data }) => data).map((execution) => [execution.id, execution] as const)
  return withLive(new Map(read), toldMeanwhile())
}
