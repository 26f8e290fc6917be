import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { roomApi } from '../../room-api.ts'
import { workspaceStrings } from '../../strings/workspace.ts'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Drivers } from './drivers.tsx'
import { NewWorkspace } from './new-workspace.tsx'
import { WorkspaceRow } from './workspace-row.tsx'

const words = workspaceStrings

/** Where agents work, what encloses them there, and what this machine can enclose them with. */
export default function WorkspacesPage() {
  const isOwner = useStore(session, (key) => key?.principal.kind === 'owner')
  const [isTrash, setTrash] = useState(false)
  const [isMaking, setMaking] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['workspaces', isTrash],
    queryFn: ({ signal }) =>
      roomApi.workspaces({ trashed: isTrash ? 'true' : 'false', pageSize: 200 }, signal),
    refetchInterval: 5_000,
  })
  return (
    <>
      <PageHead title={words.heading}>
        {isOwner && (
          <Button look="main" onClick={() => setMaking(true)}>
            {words.make}
          </Button>
        )}
      </PageHead>
      {!data && !error && (
        <output className="animate-appear-late px-5.5 py-2 text-mute max-sm:px-4">{strings.loading}</output>
      )}
      {!data && error && (
        <Empty title={words.failed} text={error.message}>
          <Button onClick={() => void refetch()}>{strings.retry}</Button>
        </Empty>
      )}
      {data && (
        <div className="flex min-h-0 grow flex-col gap-8 overflow-y-auto px-5.5 pt-1 pb-20 max-sm:px-4">
          <Section
            title={isTrash ? words.trash : words.here}
            aside={
              <Button
                look="quiet"
                className="-me-2.5"
                aria-pressed={isTrash}
                onClick={() => setTrash(!isTrash)}
              >
                {isTrash ? words.leaveTrash : words.showTrash}
              </Button>
            }
          >
            {data.length === 0 && (
              <p className="max-w-160 py-2 text-soft">{isTrash ? words.trashEmpty : words.none}</p>
            )}
            <ul>
              {data.map((workspace) => (
                <WorkspaceRow key={workspace.id} workspace={workspace} isOwner={isOwner} />
              ))}
            </ul>
          </Section>
          {isOwner && (
            <Section title={words.drivers} hint={words.driversHint}>
              <Drivers />
            </Section>
          )}
        </div>
      )}
      {isMaking && <NewWorkspace onClose={() => setMaking(false)} />}
    </>
  )
}
