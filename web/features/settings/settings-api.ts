import type { About } from '../../../src/contract/about.ts'
import type {
  Browser,
  CreateUser,
  CreatedUser,
  EditUser,
  Principal,
  User,
} from '../../../src/contract/access.ts'
import type { Agent, EditAgent } from '../../../src/contract/agent.ts'
import type {
  ConfiguredRule,
  CreateRule,
  EditRule,
  PolicyRule,
  PolicyVerdict,
  TryPolicy,
} from '../../../src/contract/approval.ts'
import type { AuditEntry, AuditExport, AuditQuery } from '../../../src/contract/audit.ts'
import type { CheckedModels } from '../../../src/contract/model.ts'
import type { AllSettings, ChangeSettings } from '../../../src/contract/settings.ts'
import { authorization, base, data, reach, refusalOf, send } from '../../api.ts'

const get = <Data>(path: string, signal?: AbortSignal) => data(send<Data>('GET', path, signal && { signal }))

async function exportAudit(query: Partial<AuditExport>): Promise<Blob> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const answer = await reach(`${base}/audit/export?${new URLSearchParams(given)}`, {
    headers: authorization(),
  })
  if (!answer.ok) throw await refusalOf(answer)
  return answer.blob()
}

export const settingsApi = {
  whoami: (signal?: AbortSignal) => get<Principal>('/auth/whoami', signal),
  settings: (signal?: AbortSignal) => get<AllSettings>('/settings', signal),
  change: (body: ChangeSettings) => data(send<AllSettings>('PATCH', '/settings', { body })),
  rules: (signal?: AbortSignal) => get<PolicyRule[]>('/policies/rules', signal),
  configured: (signal?: AbortSignal) => get<ConfiguredRule[]>('/policies/configured', signal),
  addRule: (body: CreateRule) => data(send<PolicyRule>('POST', '/policies/rules', { body })),
  editRule: (id: string, body: EditRule) =>
    data(send<PolicyRule>('PATCH', `/policies/rules/${id}`, { body })),
  removeRule: (id: string) => send<null>('DELETE', `/policies/rules/${id}`),
  tryPolicy: (body: Partial<TryPolicy> & Pick<TryPolicy, 'tool'>, signal?: AbortSignal) =>
    data(send<PolicyVerdict>('POST', '/policies/try', { body, ...(signal && { signal }) })),
  editAgent: (id: string, body: EditAgent) => data(send<Agent>('PATCH', `/agents/${id}`, { body })),
  checkModels: (isFresh: boolean, signal?: AbortSignal) =>
    get<CheckedModels>(`/models/check${isFresh ? '?fresh=1' : ''}`, signal),
  users: (signal?: AbortSignal) => get<User[]>('/users?pageSize=500', signal),
  addUser: (body: CreateUser) => data(send<CreatedUser>('POST', '/users', { body })),
  editUser: (id: string, body: EditUser) => data(send<User>('PATCH', `/users/${id}`, { body })),
  newToken: (id: string) => data(send<CreatedUser>('POST', `/users/${id}/token`)),
  deleteUser: (id: string) => send<null>('DELETE', `/users/${id}`),
  browsers: (signal?: AbortSignal) => get<Browser[]>('/auth/browsers', signal),
  logOutBrowser: (id: string) => send<null>('DELETE', `/auth/browsers/${id}`),
  audit: (query: Partial<AuditQuery>, signal?: AbortSignal) =>
    send<AuditEntry[]>('GET', '/audit', { query, ...(signal && { signal }) }),
  exportAudit,
  about: (signal?: AbortSignal) => get<About>('/about', signal),
}
