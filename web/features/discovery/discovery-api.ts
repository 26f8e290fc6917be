import type { Agent } from '../../../src/contract/agent.ts'
import type {
  DescribedProgram,
  DiscoveryQuery,
  FoundProgram,
  ScanProgress,
} from '../../../src/contract/discovery.ts'
import { data, send } from '../../api.ts'

/** Here and not among the others: the board comes without it. */
export const discoveryApi = {
  found: (query: Partial<DiscoveryQuery>, signal?: AbortSignal) =>
    send<FoundProgram[]>('GET', '/discovery', { query, ...(signal && { signal }) }),
  program: (id: string, signal?: AbortSignal) =>
    data(send<DescribedProgram>('GET', `/discovery/${id}`, signal && { signal })),
  scan: (machineId?: string) =>
    data(
      send<ScanProgress>('POST', '/discovery/scan', { body: machineId === undefined ? {} : { machineId } }),
    ),
  lastScan: (machineId: string) =>
    data(send<ScanProgress | null>('GET', '/discovery/scan', { query: { machineId } })),
  confirm: (ids: string[]) => data(send<Agent[]>('POST', '/discovery/confirm', { body: { ids } })),
  hide: (ids: string[], hide: boolean) =>
    data(send<unknown>('POST', '/discovery/confirm', { body: { ids, hide } })),
  describe: (id: string, model: boolean) =>
    data(send<DescribedProgram>('POST', `/discovery/${id}/describe`, { body: { model } })),
}
