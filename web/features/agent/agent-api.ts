import type { Agent, EditAgent } from '../../../src/contract/agent.ts'
import type { Capability, CreateCapability, EditCapability } from '../../../src/contract/capability.ts'
import { data, send } from '../../api.ts'

type NewCapability = Partial<CreateCapability> & Pick<CreateCapability, 'key' | 'interactionMode'>

/** What only the owner may do. */
export const agentApi = {
  edit: (id: string, body: EditAgent) => data(send<Agent>('PATCH', `/agents/${id}`, { body })),
  remove: (id: string) => send<null>('DELETE', `/agents/${id}`),
  addCapability: (id: string, body: NewCapability) =>
    data(send<Capability>('POST', `/agents/${id}/capabilities`, { body })),
  editCapability: (id: string, capabilityId: string, body: EditCapability) =>
    data(send<Capability>('PATCH', `/agents/${id}/capabilities/${capabilityId}`, { body })),
  removeCapability: (id: string, capabilityId: string) =>
    send<null>('DELETE', `/agents/${id}/capabilities/${capabilityId}`),
}
