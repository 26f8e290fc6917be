import type { PromptFile } from '../src/contract/agent-event.ts'
import type { Agent } from '../src/contract/agent.ts'
import type { AnswerApproval, Approval, ApprovalQuery } from '../src/contract/approval.ts'
import type { Capability } from '../src/contract/capability.ts'
import type { StreamEvent } from '../src/contract/event.ts'
import type { Execution, StartExecution } from '../src/contract/execution.ts'
import type { WorkerStatus } from '../src/contract/machine.ts'
import type { Preset } from '../src/contract/preset.ts'
import type { EditSession, Session, SessionQuery, TakenOver } from '../src/contract/session.ts'
import type { EditTask, Task, TaskEvent } from '../src/contract/task.ts'
import type {
  Committed,
  CreateWorkspace,
  Folder,
  FolderQuery,
  DiffQuery,
  MachineDrivers,
  Merged,
  Preview,
  Workspace,
  WorkspaceDiff,
  WorkspaceQuery,
} from '../src/contract/workspace.ts'
import type { Found, Listed, ReadAnswer, SearchAsked } from '../src/contract/workspace-tool.ts'
import { authorization, base, data, reach, refusalOf, send } from './api.ts'

/** The whole log as a file. */
async function reachLog(id: string): Promise<Blob> {
  const answer = await reach(`${base}/executions/${id}/logs`, { headers: authorization() })
  if (!answer.ok) throw await refusalOf(answer)
  return answer.blob()
}

/** What is asked in rooms that are fetched after the first paint. */
export const roomApi = {
  logOut: () => send<null>('DELETE', '/auth/session'),
  start: (body: Partial<StartExecution> & { capabilityId: string }) =>
    data(send<Execution>('POST', '/executions', { body })),
  say: (id: string, text: string, files: readonly PromptFile[] = []) =>
    data(send<{ executionId: string }>('POST', `/executions/${id}/messages`, { body: { text, files } })),
  interrupt: (id: string) => data(send<Execution>('POST', `/executions/${id}/interrupt`)),
  cancel: (id: string) => data(send<Execution>('POST', `/executions/${id}/cancel`)),
  log: reachLog,
  sessions: (query: Partial<SessionQuery>, signal?: AbortSignal) =>
    send<Session[]>('GET', '/sessions', { query, ...(signal && { signal }) }),
  session: (id: string, signal?: AbortSignal) =>
    data(send<Session>('GET', `/sessions/${id}`, signal && { signal })),
  sessionEvents: (id: string, query: { before: number; limit: number }, signal: AbortSignal) =>
    data(send<StreamEvent[]>('GET', `/sessions/${id}/events`, { query, signal })),
  editSession: (id: string, body: EditSession) => data(send<Session>('PATCH', `/sessions/${id}`, { body })),
  forkSession: (id: string) => data(send<Session>('POST', `/sessions/${id}/fork`)),
  trashSession: (id: string) => send<null>('DELETE', `/sessions/${id}`),
  restoreSession: (id: string) => data(send<Session>('POST', `/sessions/${id}/restore`)),
  listFolder: (id: string, path: string, signal?: AbortSignal) =>
    data(send<Listed>('POST', `/sessions/${id}/tools/list`, { body: { path }, ...(signal && { signal }) })),
  readFile: (id: string, path: string, signal?: AbortSignal) =>
    data(
      send<ReadAnswer>('POST', `/sessions/${id}/tools/read`, { body: { path }, ...(signal && { signal }) }),
    ),
  searchFiles: (id: string, body: Partial<SearchAsked> & { pattern: string }, signal?: AbortSignal) =>
    data(send<Found>('POST', `/sessions/${id}/tools/search`, { body, ...(signal && { signal }) })),
  takeOver: (id: string) => data(send<TakenOver>('POST', `/sessions/${id}/takeover`)),
  handBack: (id: string) => data(send<Session>('POST', `/sessions/${id}/handback`)),
  workers: (signal?: AbortSignal) =>
    data(send<WorkerStatus[]>('GET', '/workers/status', signal && { signal })),
  answer: (id: string, body: Partial<AnswerApproval> & Pick<AnswerApproval, 'decision'>) =>
    data(send<Approval>('POST', `/approvals/${id}`, { body })),
  approvals: (query: Partial<ApprovalQuery>, signal?: AbortSignal) =>
    data(send<Approval[]>('GET', '/approvals', { query, ...(signal && { signal }) })),
  approval: (id: string, signal: AbortSignal) =>
    data(send<Approval>('GET', `/approvals/${encodeURIComponent(id)}`, { signal })),
  presets: (signal?: AbortSignal) => data(send<Preset[]>('GET', '/agents/presets', signal && { signal })),
  workspaces: (query: Partial<WorkspaceQuery>, signal?: AbortSignal) =>
    data(send<Workspace[]>('GET', '/workspaces', { query, ...(signal && { signal }) })),
  workspace: (id: string, signal?: AbortSignal) =>
    data(send<Workspace>('GET', `/workspaces/${id}`, signal && { signal })),
  drivers: (signal?: AbortSignal) =>
    data(send<MachineDrivers[]>('GET', '/workspaces/drivers', signal && { signal })),
  folders: (query: FolderQuery, signal?: AbortSignal) =>
    data(send<Folder[]>('GET', '/workspaces/folders', { query, ...(signal && { signal }) })),
  makeWorkspace: (body: Partial<CreateWorkspace> & Pick<CreateWorkspace, 'driver'>) =>
    data(send<Workspace>('POST', '/workspaces', { body })),
  trashWorkspace: (id: string) => send<unknown>('DELETE', `/workspaces/${id}`),
  restoreWorkspace: (id: string) => data(send<Workspace>('POST', `/workspaces/${id}/restore`)),
  prepareWorkspace: (id: string) => data(send<Workspace>('POST', `/workspaces/${id}/prepare`)),
  preview: (id: string) => data(send<Preview>('POST', `/workspaces/${id}/preview`, { body: {} })),
  workspaceDiff: (id: string, query: DiffQuery, signal?: AbortSignal) =>
    data(send<WorkspaceDiff>('GET', `/workspaces/${id}/diff`, { query, ...(signal && { signal }) })),
  commitWorkspace: (id: string, message: string) =>
    data(send<Committed>('POST', `/workspaces/${id}/commit`, { body: { message } })),
  mergeWorkspace: (id: string) => data(send<Merged>('POST', `/workspaces/${id}/merge`, { body: {} })),
  addAgent: (preset: Preset['key']) => data(send<Agent>('POST', '/agents', { body: { preset } })),
  capabilities: (agentId: string, signal?: AbortSignal) =>
    data(send<Capability[]>('GET', `/agents/${agentId}/capabilities`, signal && { signal })),
  task: (id: string, signal?: AbortSignal) => data(send<Task>('GET', `/tasks/${id}`, signal && { signal })),
  history: (id: string, signal?: AbortSignal) =>
    send<TaskEvent[]>('GET', `/tasks/${id}/events`, { query: { pageSize: 200 }, ...(signal && { signal }) }),
  edit: (id: string, body: EditTask, keepalive = false) =>
    data(send<Task>('PATCH', `/tasks/${id}`, { body, keepalive })),
  remove: (id: string, withSubtasks: boolean) =>
    send<null>('DELETE', `/tasks/${id}`, { query: withSubtasks ? { subtasks: 'delete' } : {} }),
  addDependency: (id: string, dependsOnTaskId: string) =>
    data(send<Task>('POST', `/tasks/${id}/dependencies`, { body: { dependsOnTaskId } })),
  removeDependency: (id: string, dependsOnTaskId: string) =>
    data(send<Task>('DELETE', `/tasks/${id}/dependencies`, { body: { dependsOnTaskId } })),
}
