import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Workspace } from '../../../src/contract/workspace.ts'
import { roomApi } from '../../room-api.ts'
import { workspaceStrings } from '../../strings/workspace.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { DiffText } from '../session/diff-text.tsx'

const words = workspaceStrings

/** What a worktree has that its base has not, to be kept and brought back. */
export function Changes({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const { id, name } = workspace
  const [message, setMessage] = useState('')
  const [isBusy, setBusy] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['diff', id],
    queryFn: ({ signal }) => roomApi.workspaceDiff(id, signal),
  })
  const act = async (work: () => Promise<string>) => {
    setBusy(true)
    try {
      toast(await work())
      await refetch()
    } catch (failure) {
      toast(words.notDone(failure instanceof Error ? failure.message : String(failure)), { isProblem: true })
    } finally {
      setBusy(false)
    }
  }
  const commit = async () => {
    const done = await roomApi.commitWorkspace(id, message)
    setMessage('')
    return done.commit ? words.committed(done.commit.slice(0, 10), done.branch) : words.nothingToCommit
  }
  const merge = async () => {
    const { into, wasUpToDate, uncommitted } = await roomApi.mergeWorkspace(id)
    const what = wasUpToDate ? words.upToDate(into) : words.merged(into)
    return uncommitted > 0 ? `${what}. ${words.leftOut(uncommitted)}` : what
  }
  return (
    <Dialog title={words.changesOf(name)} onClose={onClose} className="w-220">
      <div className="flex min-h-0 flex-col gap-2 overflow-y-auto px-4 pb-3">
        {!data && !error && <output className="text-mute">{strings.loading}</output>}
        {error && <p className="text-stop">{error.message}</p>}
        {data?.files.length === 0 && <p className="text-soft">{words.noChanges}</p>}
        <ul className="text-small">
          {data?.files.map(({ path, change, additions, deletions }) => (
            <li key={path} className="flex gap-2">
              <span className="w-16 shrink-0 text-mute">{words.change[change]}</span>
              <bdi dir="ltr" className="grow truncate font-mono">
                {path}
              </bdi>
              {additions !== null && <span className="tabular-nums">+{additions}</span>}
              {deletions !== null && <span className="tabular-nums">−{deletions}</span>}
            </li>
          ))}
        </ul>
        {data && data.diff !== '' && <DiffText diff={{ path: name, text: data.diff }} />}
        {data?.truncated && <p className="text-small text-mute">{words.cut}</p>}
      </div>
      <form
        className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3"
        onSubmit={(event) => {
          event.preventDefault()
          void act(commit)
        }}
      >
        <input
          value={message}
          maxLength={10_000}
          aria-label={words.message}
          placeholder={words.message}
          className={`${fieldLook} w-auto! min-w-50 grow`}
          onChange={(event) => setMessage(event.target.value)}
        />
        <Button type="submit" disabled={isBusy || message.trim() === ''}>
          {words.commit}
        </Button>
        {workspace.parentId && (
          <Button look="main" disabled={isBusy} onClick={() => void act(merge)}>
            {words.merge}
          </Button>
        )}
      </form>
    </Dialog>
  )
}
