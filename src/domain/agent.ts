import type { Agent, EditAgent } from '#contract/agent.ts'
import { Problem, bodyMisfit } from './problem.ts'

/** What a machine has to allow before an agent can live on it. */
export type Place = Pick<Agent, 'machineId' | 'adapter' | 'binaryPath' | 'workingDir'>

/** Throws unless the agent names a program where its adapter starts one. */
export function checkProgram({ adapter, binaryPath }: Pick<Place, 'adapter' | 'binaryPath'>): void {
  if (adapter !== 'chat' && binaryPath === null)
    throw bodyMisfit('binaryPath', `an agent with the adapter "${adapter}" needs a program`)
}

/** Throws when an edit touches what came with Signalbox. */
export function checkBuiltin(agent: Agent, edit: EditAgent): void {
  if (!agent.builtin) return
  for (const field of ['binaryPath', 'adapter'] as const)
    if (edit[field] !== undefined && edit[field] !== agent[field])
      throw new Problem(
        'agent_builtin',
        `${agent.name} came with Signalbox: its ${field} cannot be changed`,
        {
          field,
        },
      )
}

/** Where the agent would live after an edit. */
export const placeAfter = (agent: Place, edit: EditAgent): Place => ({
  machineId: edit.machineId ?? agent.machineId,
  adapter: edit.adapter ?? agent.adapter,
  binaryPath: edit.binaryPath === undefined ? agent.binaryPath : edit.binaryPath,
  workingDir: edit.workingDir === undefined ? agent.workingDir : edit.workingDir,
})

export const isSamePlace = (one: Place, other: Place): boolean =>
  one.machineId === other.machineId &&
  one.adapter === other.adapter &&
  one.binaryPath === other.binaryPath &&
  one.workingDir === other.workingDir
