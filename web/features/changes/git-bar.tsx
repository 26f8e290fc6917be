import { useState } from 'react'
import type { Workspace, WorkspaceDiff } from '../../../src/contract/workspace.ts'
import { Refusal } from '../../api.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { changesStrings } from '../../strings/changes.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { Conflict } from './conflict.tsx'
import { suggestMessage } from './suggest-message.ts'
import { diffKey } from './use-diff.ts'
import type { Say } from './use-say.ts'

const words = changesStrings.git

interface Props {
  workspace: Workspace
  diff: WorkspaceDiff
  title: string
  say: Say | null
}

/** Keeping what has changed: a commit, and bringing it back to where it came from. */
export function GitBar({ workspace, diff, title, say }: Props) {
  const { id, parentId } = workspace
  const isOwner = useStore(session, (key) => key?.principal.kind === 'owner')
  const [written, setWritten] = useState<string | null>(null)
  const [doing, setDoing] = useState<'commit' | 'merge' | null>(null)
  const [refused, setRefused] = useState<Refusal | null>(null)
  const message = written ?? suggestMessage(title, diff.files)
  const hasAll = diff.uncommitted === 0
  const act = async (what: 'commit' | 'merge', work: () => Promise<string>) => {
    setDoing(what)
    setRefused(null)
    try {
      toast(await work())
    } catch (error) {
      if (error instanceof Refusal && Array.isArray(error.context['files'])) setRefused(error)
      else toast(words.notDone(error instanceof Error ? error.message : String(error)), { isProblem: true })
    } finally {
      await queryClient.invalidateQueries({ queryKey: diffKey(id) })
      setDoing(null)
    }
  }
  const commit = async () => {
    const done = await roomApi.commitWorkspace(id, message)
    setWritten(null)
    return done.commit ? words.committed(done.commit.slice(0, 10), done.branch) : words.nothingToCommit
  }
  const merge = async () => {
    const { into, wasUpToDate } = await roomApi.mergeWorkspace(id)
    return wasUpToDate ? words.upToDate(into) : words.merged(into)
  }
  const why = !isOwner
    ? words.notYours
    : parentId === null
      ? words.notAWorktree
      : hasAll
        ? null
        : words.commitFirst
  return (
    <div data-git className="flex shrink-0 flex-col gap-2 border-t border-line px-4 py-2">
      {refused && <Conflict refused={refused} say={say} onClose={() => setRefused(null)} />}
      <form
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          void act('commit', commit)
        }}
      >
        <input
          value={hasAll ? '' : message}
          maxLength={10_000}
          disabled={hasAll}
          aria-label={words.message}
          placeholder={hasAll ? words.allCommitted : words.message}
          className={`${fieldLook} w-auto! min-w-40 grow basis-40 disabled:opacity-60`}
          onChange={(event) => setWritten(event.target.value)}
        />
        <Button type="submit" disabled={doing !== null || hasAll || message.trim() === ''}>
          {doing === 'commit' ? words.committing : words.commit}
        </Button>
        <Button
          look={hasAll && why === null ? 'main' : 'plain'}
          disabled={doing !== null || why !== null}
          title={why ?? undefined}
          onClick={() => void act('merge', merge)}
        >
          {doing === 'merge'
            ? words.merging
            : diff.mergesInto
              ? words.merge(diff.mergesInto)
              : words.mergeSomewhere}
        </Button>
      </form>
      {why && (
        <p className="text-small text-mute">
          {hasAll ? why : `${words.uncommitted(diff.uncommitted)}. ${why}`}
        </p>
      )}
    </div>
  )
}
