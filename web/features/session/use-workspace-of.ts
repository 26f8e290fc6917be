import { useQuery } from '@tanstack/react-query'
import type { Session } from '../../../src/contract/session.ts'
import { roomApi } from '../../room-api.ts'

/** Where a session works, if that is anywhere. */
export function useWorkspaceOf({ workspaceId }: Pick<Session, 'workspaceId'>) {
  return useQuery({
    queryKey: ['workspace', workspaceId],
    queryFn: ({ signal }) => roomApi.workspace(workspaceId ?? '', signal),
    enabled: workspaceId !== null,
  })
}
