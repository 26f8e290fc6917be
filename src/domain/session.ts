import type { Principal } from '#contract/access.ts'
import type { SessionFacts } from '#contract/agent-event.ts'
import type { Agent } from '#contract/agent.ts'
import type { EditSession } from '#contract/session.ts'
import { checkModelName } from './agent.ts'
import { Problem, bodyMisfit } from './problem.ts'

/** Throws unless the agent has this model or mode, as far as it has told which ones it has. */
export function checkChoice(
  field: 'model' | 'mode',
  wanted: string | null | undefined,
  facts: SessionFacts,
  agent: Pick<Agent, 'name' | 'adapter' | 'model' | 'mode'> | undefined,
): void {
  if (wanted === null || wanted === undefined) return
  if (agent?.adapter === 'template') throw bodyMisfit(field, `${agent.name} is a command and has none`)
  if (agent?.adapter === 'chat') {
    if (field === 'mode') throw bodyMisfit(field, `${agent.name} is a chat with a model and has none`)
    return checkModelName(wanted)
  }
  const offered = field === 'model' ? facts.models : facts.modes
  const isKnown = wanted === facts[field] || wanted === agent?.[field]
  if (!offered || isKnown || offered.some(({ id }) => id === wanted)) return
  const names = offered.map(({ id }) => id).join(', ')
  throw bodyMisfit(field, `${agent?.name ?? 'the agent'} has no ${field} "${wanted}". It has: ${names}`)
}

/** Modes in which every agent that has them asks before it does something. */
export const askingModes: readonly string[] = ['default', 'plan', 'ask', 'read-only']

/** Throws unless they may choose this mode: in many an agent asks less, which is the owner's to allow. */
export function checkMayChoose(
  by: Principal,
  mode: string | null | undefined,
  agent: Pick<Agent, 'name' | 'mode'> | undefined,
): void {
  if (by.kind === 'owner' || mode === null || mode === undefined) return
  if (mode === agent?.mode || askingModes.includes(mode)) return
  const own = agent?.mode ? ` and ${agent.mode}, in which ${agent.name} begins` : ''
  throw new Problem(
    'forbidden',
    `Only the owner can choose the mode "${mode}": the agent may ask less in it. Others can choose ${askingModes.join(', ')}${own}`,
    { missing: ['owner'] },
  )
}

/**
 * What an agent at work is told of an edit; nothing when there is nothing to tell. Null means what it began with. A turn of a chat
 * goes on with the model that it began with.
 */
export function switchTold(
  edit: EditSession,
  agent: Pick<Agent, 'adapter' | 'model' | 'mode'> | undefined,
): { model?: string; mode?: string } | undefined {
  if (agent?.adapter === 'chat') return undefined
  const model = edit.model === null ? agent?.model : edit.model
  const mode = edit.mode === null ? agent?.mode : edit.mode
  return model || mode ? { ...(model && { model }), ...(mode && { mode }) } : undefined
}

/** What a fork knows from the beginning: what there is to choose from. Of its own history it has none yet. */
export const factsOfFork = ({ models, modes, model, mode }: SessionFacts): SessionFacts => ({
  ...(models && { models }),
  ...(modes && { modes }),
  ...(model !== undefined && { model }),
  ...(mode !== undefined && { mode }),
})

export const forkedTitle = (title: string): string => `${title.slice(0, 190)} (fork)`

/** Throws for a chat with a model: there is no program of an agent that a person could have instead. */
export function checkHasProgram(agent: Pick<Agent, 'name' | 'adapter'> | undefined): void {
  if (agent?.adapter === 'chat')
    throw new Problem(
      'cannot_take_over',
      `${agent.name} is a chat with a model: there is no program to take over. Write to it in its session`,
    )
}

/** Throws while a person has the session, in the agent's own interface. */
export function checkNotTaken({ takenOverAt }: { takenOverAt: Date | null }): void {
  if (takenOverAt)
    throw new Problem('session_taken_over', 'Somebody has taken the session over: hand it back first')
}

/** Throws while something is under way in a session that is to go. */
export function checkAtRest(live: string | undefined, takenOverAt: Date | null): void {
  checkNotTaken({ takenOverAt })
  if (live)
    throw new Problem(
      'session_busy',
      `Execution ${live} is under way in this session: wait for it, or cancel it`,
      { executionId: live },
    )
}
