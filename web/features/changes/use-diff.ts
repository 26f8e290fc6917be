import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { WorkspaceDiff } from '../../../src/contract/workspace.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import type { ShownFile } from './diff-rows.ts'
import { parseDiff } from './parse-diff.ts'

export const diffKey = (workspaceId: string) => ['diff', workspaceId] as const

/** What has changed in a workspace, looked at again while somebody is at work there. */
export function useDiff(workspaceId: string, isAtWork: boolean) {
  useEffect(() => {
    // And once more when they have ended.
    if (!isAtWork) void queryClient.invalidateQueries({ queryKey: diffKey(workspaceId) })
  }, [workspaceId, isAtWork])
  return useQuery({
    queryKey: diffKey(workspaceId),
    queryFn: ({ signal }) => roomApi.workspaceDiff(workspaceId, {}, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
    refetchInterval: isAtWork && 5000,
  })
}

/** Every file that has changed, with as much of how as there is. */
export function filesOf({ files, diff, truncated }: WorkspaceDiff): ShownFile[] {
  const parsed = new Map(parseDiff(diff).map((file) => [file.path, file]))
  const last = [...parsed.keys()].at(-1)
  return files.map(({ path, change, additions, deletions }) => {
    const file = parsed.get(path) ?? { path, oldPath: null, isBinary: additions === null, hunks: [] }
    const isMissing = !parsed.has(path) && additions !== null && additions + (deletions ?? 0) > 0
    return { ...file, change, additions, deletions, isCut: truncated && (isMissing || path === last) }
  })
}
