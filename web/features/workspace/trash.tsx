import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Workspace } from '../../../src/contract/workspace.ts'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { bytes } from '../../ui/bytes.ts'
import { Section } from '../../ui/section.tsx'
import { ago, dateAndTime } from '../../ui/time.ts'
import { toast } from '../../ui/toast.tsx'
import { actOn } from './act.ts'
import { workspaceApi } from './workspace-api.ts'

/** What was put away, whole: to be had back, or deleted for good. */
export function Trash() {
  const { data, error } = useQuery({
    queryKey: ['workspaces', true],
    queryFn: ({ signal }) => roomApi.workspaces({ trashed: 'true', pageSize: 500 }, signal),
    refetchInterval: 5_000,
  })
  if (!data)
    return <output className="animate-appear-late py-2 text-mute">{error?.message ?? strings.loading}</output>
  return (
    <Section title={words.trash} hint={words.trashHint}>
      {data.length === 0 && (
        <div className="flex flex-col items-start gap-3 py-3">
          <p className="max-w-160 text-soft">{words.trashEmpty}</p>
          <Link to="/workspaces" search={{}} className={buttonLook()}>
            {words.view.here}
          </Link>
        </div>
      )}
      <ul>
        {data.map((workspace) => (
          <TrashRow key={workspace.id} workspace={workspace} />
        ))}
      </ul>
    </Section>
  )
}

function TrashRow({ workspace }: { workspace: Workspace }) {
  const { id, name, driver, parentId, root, branch, trashedAt, diskBytes } = workspace
  const [isBusy, setBusy] = useState(false)
  const [asks, setAsks] = useState(false)
  const isOwn = driver === 'folder' && parentId === null
  const restore = async () => {
    setBusy(true)
    await actOn(name, async () => {
      await roomApi.restoreWorkspace(id)
      toast(words.restored(name))
    })
    setBusy(false)
  }
  return (
    <li
      data-workspace={id}
      className="flex min-h-12 flex-wrap items-center gap-3 border-b border-line py-1.5"
    >
      <div className="min-w-0 grow basis-60">
        <bdi className="font-medium">{name}</bdi>
        <p className="truncate text-small text-mute" title={trashedAt ? dateAndTime(trashedAt) : undefined}>
          {[
            parentId === null ? words.driver[driver] : words.worktree,
            ...(branch ? [branch] : []),
            ...(diskBytes === null ? [] : [bytes(diskBytes)]),
            ...(trashedAt ? [words.trashedAgo(ago(trashedAt))] : []),
            ...(isOwn ? [words.filesStay] : []),
          ].join(' · ')}
          <bdi dir="ltr" className="ms-2 font-mono text-tiny">
            {root}
          </bdi>
        </p>
      </div>
      <Button disabled={isBusy} onClick={() => void restore()}>
        {isBusy ? words.restoring : words.restore}
      </Button>
      <Button disabled={isBusy} aria-label={words.deleteOne(name)} onClick={() => setAsks(true)}>
        {words.deleteForGood}
      </Button>
      {asks && (
        <AskFirst
          title={words.deleteTitle(name)}
          text={isOwn ? words.deleteOwnText(root) : words.deleteText}
          act={words.deleteAct}
          onAct={() =>
            actOn(name, async () => {
              const { message } = await workspaceApi.forget(id)
              toast(message)
            })
          }
          onClose={() => setAsks(false)}
        />
      )}
    </li>
  )
}
