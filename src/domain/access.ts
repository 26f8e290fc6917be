import { Scope } from '#contract/access.ts'
import type { ActingAgent, Principal, User } from '#contract/access.ts'
import { Problem } from './problem.ts'

const day = 24 * 60 * 60 * 1000
/** A session key lives this long from its last use. */
export const sessionKeyLifeMs = 30 * day
/** A use is written down only when less than this is left: once a day is enough. */
export const sessionKeyExtendBelowMs = sessionKeyLifeMs - day
export const ticketLifeMs = 30_000
/** How many session keys one token can hold; the next one takes the place of the one that would expire first. */
export const sessionKeysPerToken = 100

export const owner: Principal = { id: 'owner', kind: 'owner', name: 'Owner', scopes: [...Scope.options] }

export const asPrincipal = (user: Pick<User, 'id' | 'name' | 'scopes'>): Principal => ({
  id: user.id,
  kind: 'user',
  name: user.name,
  scopes: user.scopes,
})

/** What an agent's token opens, whoever it works for. */
export const agentScopes = ['board', 'tools', 'code'] as const satisfies Scope[]

/** The agent of a session, while its process lives. */
export const asAgentPrincipal = ({ name, ...agent }: ActingAgent & { name: string }): Principal => ({
  id: `agent:${agent.agentId}`,
  kind: 'agent',
  name,
  scopes: [...agentScopes],
  agent,
})

/** The person who answers for what is made: an agent's sessions are theirs for whom it works. */
export const personBehind = ({ id, agent }: Principal): string => agent?.onBehalfOf ?? id

/** The execution in whose name an agent acts. Throws when none is under way: nothing is done then. */
export function liveExecutionOf({ executionId }: Pick<ActingAgent, 'executionId'>): string {
  if (executionId !== null) return executionId
  throw new Problem(
    'no_live_execution',
    'No execution is under way in the session of this agent, so it can do nothing. Its next turn can',
  )
}

/** Only scopes that we know count; whatever else stands in a claim or in an old row opens nothing. */
export const knownScopes = (names: readonly unknown[]): Scope[] =>
  Scope.options.filter((scope) => names.includes(scope))

/** Agents have tokens too, and there are things that only a person can say. */
export const isPerson = ({ kind }: Pick<Principal, 'kind'>): boolean => kind === 'owner' || kind === 'user'

export function checkPerson(principal: Principal): void {
  if (!isPerson(principal))
    throw new Problem('forbidden', 'Only a person can do this', { missing: ['person'] })
}

export function checkScopes(principal: Principal, needed: readonly Scope[]): void {
  if (principal.kind === 'owner') return
  const missing = needed.filter((scope) => !principal.scopes.includes(scope))
  if (missing.length > 0)
    throw new Problem(
      'forbidden',
      `This needs the scope ${missing.join(', ')}, which the token does not have`,
      {
        missing,
      },
    )
}

export function checkOneScope(principal: Principal, accepted: readonly Scope[]): void {
  if (principal.kind === 'owner' || accepted.some((scope) => principal.scopes.includes(scope))) return
  throw new Problem(
    'forbidden',
    `This needs the scope ${accepted.join(' or ')}, and the token has none of them`,
    { missing: accepted },
  )
}

/** Who may only chat opens and changes chats with models: a coding agent, or a place to work in, takes `run`. */
export function checkMayTalkTo(principal: Principal, agent: { adapter: string } | undefined): void {
  if (agent?.adapter !== 'chat') checkScopes(principal, ['run'])
}

/** Whether somebody may know of this agent: who may only chat knows those that are chats. */
export const knowsOf = ({ kind, scopes }: Principal, { adapter }: { adapter: string }): boolean =>
  kind === 'owner' || scopes.includes('board') || scopes.includes('run') || adapter === 'chat'

/** Some things are the owner's alone: whoever could register users could give themselves every scope. */
export function checkOwner(principal: Principal): void {
  if (principal.kind !== 'owner')
    throw new Problem('forbidden', 'Only the owner can do this', { missing: ['owner'] })
}
