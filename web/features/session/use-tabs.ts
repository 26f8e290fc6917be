import { useQuery } from '@tanstack/react-query'
import type { SessionView } from '../../routes.tsx'
import { session as loggedIn } from '../../session.ts'
import { diffKey } from '../changes/use-diff.ts'
import type { WorkspaceDiff } from '../../../src/contract/workspace.ts'
import { useMayUseTerminal } from '../terminal/may-use.ts'
import type { RoomProps } from './session-room.tsx'
import { useWorkspaceOf } from './use-workspace-of.ts'

/** Which parts a session has, which of them is shown when none was chosen, and how much is in them. */
export function useTabs({ session, agent, isTalk, shown }: RoomProps) {
  const scopes = loggedIn.get()?.principal.scopes ?? []
  const mayRun = scopes.includes('run')
  const mayLook = mayRun || scopes.includes('tools')
  const mayUseTerminal = useMayUseTerminal()
  const { data: workspace, isLoading } = useWorkspaceOf(session)
  const isChat = agent?.adapter === 'chat'
  const hasPlace = session.workspaceId !== null
  const hasChanges = mayRun && workspace?.branch != null
  const all: SessionView[] = [
    ...(hasChanges ? (['changes'] as const) : []),
    ...(hasPlace && mayLook ? (['files'] as const) : []),
    ...(mayUseTerminal && (!isChat || hasPlace) ? (['terminal'] as const) : []),
    // Nothing stands in the log of a chat, and of a command it is shown already.
    ...(isTalk && !isChat && shown ? (['log'] as const) : []),
    'details',
  ]
  const diff = useQuery<WorkspaceDiff>({ queryKey: diffKey(session.workspaceId ?? ''), enabled: false }).data
  const usual: SessionView | undefined =
    isTalk && hasChanges ? 'changes' : isTalk && isLoading ? undefined : 'details'
  return { all, usual, amounts: { changes: diff?.files.length } }
}
