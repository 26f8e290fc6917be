import type { Agent } from '../../../src/contract/agent.ts'
import type { Preset } from '../../../src/contract/preset.ts'
import { api } from '../../api.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { takeExecution } from '../session/executions-cache.ts'

export interface Begun {
  taskId: string
  sessionId: string
  agentName: string
}

interface Wanted {
  preset: Preset
  agents: readonly Agent[]
  folder: string
  title: string
}

/** Registers what is not registered yet, puts the task on the board, and gives it to the agent. */
export async function beginFirst({ preset, agents, folder, title }: Wanted): Promise<Begun> {
  const { machineId, key } = preset
  const known = agents.find((agent) => agent.preset === key && agent.machineId === machineId && agent.active)
  const agent = known ?? (await roomApi.addAgent(key))
  const [capability] = await roomApi.capabilities(agent.id)
  if (!capability) throw new Error(`${agent.name} can be asked for nothing`)
  const workspaces = await roomApi.workspaces({ pageSize: 100 })
  const place =
    workspaces.find(
      (each) => each.driver === 'folder' && each.root === folder && each.machineId === machineId,
    ) ?? (await roomApi.makeWorkspace({ driver: 'folder', root: folder, machineId }))
  const task = await api.create({ title, assigneeAgentId: agent.id })
  const execution = await roomApi.start({
    capabilityId: capability.id,
    taskId: task.id,
    workspaceId: place.id,
  })
  takeExecution(execution)
  for (const changed of ['agents', 'workspaces']) void queryClient.invalidateQueries({ queryKey: [changed] })
  return { taskId: task.id, sessionId: execution.sessionId, agentName: agent.name }
}
