import type { Agent, CreateAgent, EditAgent } from '#contract/agent.ts'
import type { PresetOnMachine } from '#contract/preset.ts'
import { Problem, bodyMisfit } from './problem.ts'

export type NewAgent = Omit<Agent, 'id' | 'createdAt' | 'builtin' | 'missingSince'>

/** The agent that was asked for. With a preset, as it was found on the machine, what is asked goes beyond what it brings. */
export function newAgent(wanted: CreateAgent, found: PresetOnMachine | undefined): NewAgent {
  const machineId = wanted.machineId ?? null
  const name = wanted.name ?? found?.name
  if (name === undefined) throw bodyMisfit('name', 'is needed')
  if (!found)
    return {
      ...wanted,
      name,
      machineId,
      kind: wanted.kind ?? (wanted.adapter === 'chat' ? 'model' : 'tool'),
      adapter: wanted.adapter ?? (wanted.kind === 'model' ? 'chat' : 'template'),
      preset: null,
    }
  checkPreset(wanted, found)
  return {
    ...wanted,
    name,
    machineId,
    kind: 'coding',
    adapter: found.adapter,
    preset: found.key,
    binaryPath: found.binaryPath,
    args: [...found.args, ...wanted.args],
    envAllowlist: [...new Set([...found.envAllowlist, ...wanted.envAllowlist])],
  }
}

function checkPreset({ kind, adapter }: CreateAgent, found: PresetOnMachine): void {
  const { name, version, leastVersion, install, trouble } = found
  if (adapter !== undefined && adapter !== found.adapter)
    throw bodyMisfit('adapter', `${name} is spoken to by "${found.adapter}"`)
  if (kind !== undefined && kind !== 'coding') throw bodyMisfit('kind', `${name} is a coding agent`)
  if (!found.installed)
    throw bodyMisfit('preset', `${name} is not installed on the machine. Install it: ${install}`)
  if (trouble !== null)
    throw bodyMisfit('preset', `${name} does not run: ${trouble}. Install it again: ${install}`)
  if (found.tooOld)
    throw bodyMisfit(
      'preset',
      `${name} ${version} is too old, it takes ${leastVersion} or newer. Update it: ${install}`,
    )
}

/** What a machine has to allow before an agent can live on it. */
export type Place = Pick<Agent, 'machineId' | 'adapter' | 'binaryPath' | 'workingDir'>

/** Throws unless the agent names a program where its adapter starts one, and none where nothing is started. */
export function checkProgram({ adapter, binaryPath }: Pick<Place, 'adapter' | 'binaryPath'>): void {
  if (adapter === 'chat' && binaryPath !== null)
    throw bodyMisfit('binaryPath', 'an agent with the adapter "chat" has no program: a model answers')
  if (adapter !== 'chat' && binaryPath === null)
    throw bodyMisfit('binaryPath', `an agent with the adapter "${adapter}" needs a program`)
}

/** Throws unless it is of a kind that is spoken to like this: models in a chat, and nothing else. */
export function checkKind({ kind, adapter, model }: Pick<Agent, 'kind' | 'adapter' | 'model'>): void {
  if (adapter === 'chat' && kind !== 'model')
    throw bodyMisfit(
      'kind',
      `with the adapter "chat" a model is spoken to: it must be "model", not "${kind}"`,
    )
  if (kind === 'model' && adapter !== 'chat')
    throw bodyMisfit('adapter', `a model is spoken to by "chat", not by "${adapter}"`)
  if (adapter === 'chat') checkModelName(model)
}

/** Throws unless it may be the name of a model. Whether there is one by that name only its provider knows. */
export function checkModelName(name: string | null | undefined): void {
  if (name && /\s/.test(name))
    throw bodyMisfit(
      'model',
      'has a space in it: a model is named as anthropic/claude-sonnet-4-5, or anthropic',
    )
}

/** Throws when an edit touches what came with Signalbox. */
export function checkBuiltin(agent: Agent, edit: EditAgent): void {
  if (!agent.builtin) return
  for (const field of ['binaryPath', 'adapter', 'kind', 'machineId'] as const)
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
