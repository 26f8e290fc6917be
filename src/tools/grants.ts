import { fits } from '#lib/glob.ts'
import type { Named } from './names.ts'
import type { Caller, OfferedTool, SourceSettings } from './port.ts'

type NamedTool = Named<OfferedTool>

/** Whether the owner lets this caller use the source at all. The owner always may; an agent of theirs only if it is granted. */
export function isGranted(caller: Caller, { grants }: Pick<SourceSettings, 'grants'>): boolean {
  if (caller.kind === 'person')
    return caller.isOwner || grants.some((grant) => ['*', 'users', caller.id, caller.name].includes(grant))
  const names = new Set(['*', 'agents', caller.id, caller.agentId, caller.agentName])
  return grants.some((grant) => names.has(grant))
}

/** Whether the source's settings let this tool be one at all. */
export const isWanted = ({ offered, short }: NamedTool, { tools }: Pick<SourceSettings, 'tools'>): boolean =>
  tools.length === 0 || tools.some((pattern) => fits(pattern, short) || fits(pattern, offered.name))

/** Whether a tool is among those that an agent may use. Of a person nothing is held back. */
export function isAllowed(caller: Caller, { name, wireName }: Pick<NamedTool, 'name' | 'wireName'>): boolean {
  if (caller.kind === 'person' || caller.allowedTools.length === 0) return true
  return caller.allowedTools.some((pattern) => fits(pattern, name) || fits(pattern, wireName))
}

/** Whether everything of a source is: what is not a tool has no name that a pattern could be for. */
export const isAllowedAll = (caller: Caller, source: string): boolean =>
  isAllowed(caller, { name: `${source}.*`, wireName: `${source}__*` })
