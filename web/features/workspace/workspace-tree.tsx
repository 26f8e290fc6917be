import { useQuery } from '@tanstack/react-query'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Section } from '../../ui/section.tsx'
import { asTree } from './tree.ts'
import { WorkspaceRow } from './workspace-row.tsx'

/** Every workspace, worktrees below their repository. */
export function WorkspaceTree({ isOwner, onMake }: { isOwner: boolean; onMake: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['workspaces', false],
    queryFn: ({ signal }) => roomApi.workspaces({ trashed: 'false', pageSize: 500 }, signal),
    refetchInterval: 5_000,
  })
  if (!data && !error)
    return <output className="animate-appear-late py-2 text-mute">{strings.loading}</output>
  if (!data)
    return (
      <Empty title={words.failed} text={error?.message ?? ''}>
        <Button onClick={() => void refetch()}>{strings.retry}</Button>
      </Empty>
    )
  if (data.length === 0)
    return (
      <div className="flex flex-col items-start gap-3">
        <p className="max-w-160 text-soft">{words.none}</p>
        {isOwner && <Button onClick={onMake}>{words.make}</Button>}
      </div>
    )
  return (
    <Section title={words.here}>
      <ul>
        {asTree(data).map(({ workspace, worktrees }) => (
          <li key={workspace.id}>
            <WorkspaceRow workspace={workspace} isOwner={isOwner} />
            {worktrees.length > 0 && (
              <ul aria-label={words.worktreesOf(workspace.name)} className="ms-2 border-s border-line ps-4">
                {worktrees.map((worktree) => (
                  <li key={worktree.id}>
                    <WorkspaceRow workspace={worktree} isOwner={isOwner} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
