import { useQuery } from '@tanstack/react-query'
import type { WorkerStatus } from '../../../src/contract/machine.ts'
import { roomApi } from '../../room-api.ts'

const none: WorkerStatus[] = []

/** All machines that there are. */
export const useMachines = (): readonly WorkerStatus[] =>
  useQuery({ queryKey: ['workers'], queryFn: ({ signal }) => roomApi.workers(signal) }).data ?? none
