import { Columns2, RefreshCw, Rows2 } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { Workspace, WorkspaceDiff } from '../../../src/contract/workspace.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { changesStrings as words } from '../../strings/changes.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { toast } from '../../ui/toast.tsx'
import { BranchMenu } from './branch-menu.tsx'
import type { Comments } from './comment-store.ts'
import { Counts } from './diff-row.tsx'
import type { ShownFile } from './diff-rows.ts'
import { DiffView } from './diff-view.tsx'
import type { DiffHandle } from './diff-view.tsx'
import { FileList } from './file-list.tsx'
import { GitBar } from './git-bar.tsx'
import { filesOf, useDiff } from './use-diff.ts'
import { useIsSplit } from './use-is-split.ts'
import type { Say } from './use-say.ts'

interface Props {
  workspace: Workspace
  /** What the work is about. */
  title: string
  isAtWork: boolean
  comments: Comments | null
  say: Say | null
  children?: ReactNode
}

/** What a workspace has that its base has not: looked at, talked about, committed, and brought back. */
export function Changes({ workspace, title, isAtWork, comments, say, children }: Props) {
  const { data, error, isFetching, refetch } = useDiff(workspace.id, isAtWork)
  const [isSplit, setSplit] = useIsSplit()
  const view = useRef<DiffHandle>(null)
  const { files, showAll } = useFiles(workspace.id, data)
  if (!data)
    return error ? (
      <Empty title={workspace.state === 'ready' ? words.failed : words.gone} text={error.message}>
        <Button onClick={() => void refetch()}>{words.again}</Button>
      </Empty>
    ) : (
      <output className="animate-appear-late px-4 py-2 text-mute">{words.reading}</output>
    )
  const sum = (of: 'additions' | 'deletions') => files.reduce((all, file) => all + (file[of] ?? 0), 0)
  return (
    <div data-changes className="flex min-h-0 grow flex-col">
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line ps-4 pe-2">
        <span className="shrink-0">{words.amount(files.length)}</span>
        <Counts additions={sum('additions')} deletions={sum('deletions')} />
        {data.branch && (
          <BranchMenu
            branch={data.branch}
            into={data.mergesInto}
            isInRepository={workspace.parentId !== null}
          />
        )}
        <span className="ms-auto flex shrink-0">
          <IconButton label={words.again} aria-busy={isFetching} onClick={() => void refetch()}>
            <RefreshCw size={14} aria-hidden />
          </IconButton>
          <IconButton label={isSplit ? words.unified : words.split} onClick={() => setSplit(!isSplit)}>
            {isSplit ? <Rows2 size={14} aria-hidden /> : <Columns2 size={14} aria-hidden />}
          </IconButton>
        </span>
      </div>
      {error && (
        <p role="alert" className="border-b border-line px-4 py-1.5 wrap-anywhere text-stop">
          {error.message}
        </p>
      )}
      {files.length === 0 ? (
        <Empty title={words.none} text={words.noneText}>
          <Button onClick={() => void refetch()}>{words.again}</Button>
        </Empty>
      ) : (
        <>
          <FileList files={files} comments={comments} onChoose={(path) => view.current?.showFile(path)} />
          <DiffView
            ref={view}
            files={files}
            isSplit={isSplit}
            comments={say ? comments : null}
            onShowAll={(path) => void showAll(path)}
          />
        </>
      )}
      {children}
      <GitBar workspace={workspace} diff={data} title={title} say={say} />
    </div>
  )
}

/** The files of a diff; what was too long to come with the others is asked for on its own. */
function useFiles(workspaceId: string, diff: WorkspaceDiff | undefined) {
  const [whole, setWhole] = useState<ReadonlyMap<string, ShownFile>>(new Map())
  const files = useMemo(
    () => (diff ? filesOf(diff) : []).map((file) => (file.isCut ? (whole.get(file.path) ?? file) : file)),
    [diff, whole],
  )
  const showAll = async (path: string) => {
    try {
      const alone = await queryClient.fetchQuery({
        queryKey: ['diff', workspaceId, path],
        queryFn: ({ signal }) => roomApi.workspaceDiff(workspaceId, { path }, signal),
      })
      const [file] = filesOf(alone)
      if (alone.truncated) toast(words.stillCut, { isProblem: true })
      if (file) setWhole((now) => new Map([...now, [path, { ...file, isCut: false }]]))
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { isProblem: true })
    }
  }
  return { files, showAll }
}
