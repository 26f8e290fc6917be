import type { Agent } from '#contract/agent.ts'
import { listAgents } from '#db/agents.ts'
import { findExecution } from '#db/executions.ts'
import type { Database } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller } from '#tools/port.ts'

const mostNames = 50

/** An agent by its name or its id, as a model writes them. */
export async function agentCalled(db: Database, wanted: string): Promise<Agent> {
  const agents = await listAgents(db)
  const exact = agents.find(({ id, name }) => name === wanted || id === wanted.toLowerCase())
  const [alike, another] = agents.filter(({ name }) => name.toLowerCase() === wanted.trim().toLowerCase())
  const found = exact ?? (another ? undefined : alike)
  if (found) return found
  const names = agents.slice(0, mostNames).map(({ name }) => name)
  const known = names.length === 0 ? 'There are no agents yet' : `There are: ${names.join(', ')}`
  throw new Problem('agent_not_found', `No agent is called "${wanted.slice(0, 100)}". ${known}`)
}

/** The task that is named, or else the one that the agent works on. */
export async function theTaskMeant(
  db: Database,
  caller: Caller,
  named: string | undefined,
  field = 'taskId',
): Promise<string> {
  if (named !== undefined) return named
  const current = caller.kind === 'agent' ? await findExecution(db, caller.executionId) : undefined
  if (current?.taskId) return current.taskId
  const why =
    caller.kind === 'agent' ? 'You work on no task at present' : 'Only an agent has a task of its own'
  throw new Problem('does_not_fit', `${why}: name one with ${field}`, {
    fields: [{ field, reason: 'is needed' }],
  })
}
