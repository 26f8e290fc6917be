import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Approval } from '../../../src/contract/approval.ts'
import type { ExecutionStatus } from '../../../src/contract/execution.ts'
import { api } from '../../api.ts'
import { streamIsOpen } from '../../connection.ts'
import type { Aspect } from '../../ui/signal.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { useWaiting } from '../approval/waiting.ts'
import { startListening } from '../session/executions-cache.ts'
import { liveKey, withLive } from '../session/live-cache.ts'
import type { Live } from '../session/live-cache.ts'

/** What moves on a card. */
export type Movement = Extract<Aspect, 'queued' | 'moving' | 'waits'>
export interface Moves {
  movement: Movement
  /** What it asks, as far as that may be known here. */
  asks: string | null
}
export type Movements = ReadonlyMap<string, Moves>

/** What moves, by the task's id. */
export function useMovements(): Movements {
  const { data } = useQuery({
    queryKey: liveKey,
    queryFn: ({ signal }) => readLive(signal),
    structuralSharing: false,
  })
  const asked = useWaiting().data?.rows
  return useMemo(() => movementsOf(data ?? new Map(), asked ?? []), [data, asked])
}

/** That something waits for a person outdoes all else. */
const rank: Record<Movement, number> = { queued: 0, moving: 1, waits: 2 }

function movementsOf(live: Live, asked: readonly Approval[]): Movements {
  const movements = new Map<string, Moves>()
  for (const { id, taskId, status, waitingApprovals } of live.values()) {
    if (!taskId) continue
    const question = asked.find(({ executionId }) => executionId === id)
    const movement = waitingApprovals > 0 || question ? 'waits' : status === 'queued' ? 'queued' : 'moving'
    const known = movements.get(taskId)
    if (!known || rank[known.movement] < rank[movement])
      movements.set(taskId, { movement, asks: question ? visibleText(question.title) : null })
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
