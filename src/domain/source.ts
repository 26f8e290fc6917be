import type { Principal } from '#contract/access.ts'
import type { SourceConfig, SourceOrigin } from '#contract/source.ts'
import { Problem } from './problem.ts'

/** Whether this person or agent may use a source with these grants. The owner always may. */
export function isGranted(grants: readonly string[], { kind, id, name, agent }: Principal): boolean {
  if (kind === 'owner') return true
  const group = kind === 'agent' ? 'agents' : 'users'
  const names = new Set(['*', group, id, name, ...(agent ? [agent.agentId] : [])])
  return grants.some((grant) => names.has(grant))
}

/** As the board may call it, where all people read: one that some of them may not know of has no name there. */
export const nameForAll = (name: string, { grants }: Pick<SourceConfig, 'grants'>): string | null =>
  grants.includes('*') || grants.includes('users') ? name : null

/** What others than the owner are shown of it: not where it is, nor with what it is reached; but whether they have to let us in there. */
export const withoutWay = (config: SourceConfig): SourceConfig => {
  const { transport, description, auth, timeout, retryPolicy, rateLimit, maxConcurrent, tools, enabled } =
    config
  const kept = { transport, timeout, retryPolicy, rateLimit, maxConcurrent, tools, enabled }
  return {
    ...kept,
    ...(description !== undefined && { description }),
    ...(auth && { auth: { type: auth.type, scopes: [] } }),
    args: [],
    env: {},
    headers: {},
    grants: [],
  }
}

/** What stands in the YAML file is changed there. */
export function checkOurs(name: string, origin: SourceOrigin, verb: 'changed' | 'removed'): void {
  if (origin !== 'yaml') return
  throw new Problem(
    'source_in_file',
    `${name} stands in signalbox.config.yaml, at mcp.servers.${name}: it is ${verb} there. Then send SIGHUP, or restart`,
    { name, origin },
  )
}
