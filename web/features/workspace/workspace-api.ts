import type {
  Archive,
  EditWorkspace,
  MachineDisk,
  Pruned,
  Removed,
  Workspace,
} from '../../../src/contract/workspace.ts'
import { authorization, base, data, reach, refusalOf, send } from '../../api.ts'

async function download(name: string, machineId: string): Promise<Blob> {
  const path = `/workspaces/archives/${encodeURIComponent(name)}?machineId=${machineId}`
  const answer = await reach(base + path, { headers: authorization() })
  if (!answer.ok) throw await refusalOf(answer)
  return answer.blob()
}

const act = <Answer>(id: string, verb: string, body?: object) =>
  data(send<Answer>('POST', `/workspaces/${id}/${verb}`, body && { body }))

/** What is asked in this room alone. */
export const workspaceApi = {
  edit: (id: string, body: EditWorkspace) => data(send<Workspace>('PATCH', `/workspaces/${id}`, { body })),
  stop: (id: string) => act<Workspace>(id, 'stop'),
  measure: (id: string) => act<Workspace>(id, 'measure'),
  archive: (id: string, name: string) => act<Archive>(id, 'archive', name ? { name } : {}),
  forget: (id: string) => act<Removed>(id, 'forget'),
  disk: (signal?: AbortSignal) => data(send<MachineDisk[]>('GET', '/workspaces/disk', signal && { signal })),
  prune: (dryRun: boolean) => data(send<Pruned>('POST', '/workspaces/prune', { body: { dryRun } })),
  archives: (machineId: string, signal?: AbortSignal) =>
    data(send<Archive[]>('GET', '/workspaces/archives', { query: { machineId }, ...(signal && { signal }) })),
  download,
  removeArchive: (name: string, machineId: string) =>
    send<Removed>('DELETE', `/workspaces/archives/${encodeURIComponent(name)}`, { query: { machineId } }),
}
