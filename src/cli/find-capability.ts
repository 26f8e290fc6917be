import { Agent } from '#contract/agent.ts'
import { Capability } from '#contract/capability.ts'
import { readAll } from './client.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'

/** The one thing that is to be run: an agent by name or id, and the only thing it can be asked for, or the one named. */
export async function findCapability(
  connection: Connection,
  wanted: { agent: string; capability?: string | undefined },
): Promise<Capability> {
  const agent = await agentCalled(connection, wanted.agent)
  const all = await readAll(connection, `/agents/${agent.id}/capabilities`, {}, Capability)
  const { capability: key } = wanted
  const found = key === undefined ? all : all.filter((each) => each.key === key || each.id === key)
  const [only, ...others] = found
  if (only && others.length === 0) return only
  if (all.length === 0)
    throw new Failure(`${agent.name} has no capability yet: there is nothing to ask it for`)
  const keys = all.map((each) => `  ${each.key}  ${each.label}`).join('\n')
  if (key === undefined)
    throw new Failure(`${agent.name} can be asked for several things; name one with --capability:\n${keys}`)
  throw new Failure(`${agent.name} has no capability "${key}". It has:\n${keys}`)
}

export async function agentCalled(connection: Connection, wanted: string): Promise<Agent> {
  const agents = await readAll(connection, '/agents', {}, Agent)
  const exact = agents.filter(({ id, name }) => name === wanted || id === wanted.toLowerCase())
  const found =
    exact.length > 0 ? exact : agents.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const [only, ...others] = found
  if (only && others.length === 0) return only
  const names = (list: readonly Agent[]) => list.map(({ id, name }) => `  ${name}  ${id}`).join('\n')
  if (only) throw new Failure(`Several agents are called "${wanted}"; give an id:\n${names(found)}`)
  if (agents.length === 0) throw new Failure('There are no agents yet')
  throw new Failure(`No agent is called "${wanted}". There are:\n${names(agents)}`)
}
