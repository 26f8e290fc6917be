import { MessageSquare } from 'lucide-react'
import { changesStrings as words } from '../../strings/changes.ts'
import { workspaceStrings } from '../../strings/workspace.ts'
import { visibleText } from '../approval/visible-text.ts'
import type { Comments } from './comment-store.ts'
import { Counts } from './diff-row.tsx'
import type { ShownFile } from './diff-rows.ts'

interface Props {
  files: readonly ShownFile[]
  comments: Comments | null
  onChoose: (path: string) => void
}

/** Every file that has changed, and the way to what has changed in it. */
export function FileList({ files, comments, onChoose }: Props) {
  const amountIn = (file: string) => comments?.all.filter(({ path }) => path === file).length ?? 0
  return (
    <ul
      aria-label={words.files}
      className="max-h-[28%] shrink-0 overflow-y-auto border-b border-line py-1 text-small"
    >
      {files.map(({ path, change, additions, deletions }) => (
        <li key={path} className="[contain-intrinsic-size:auto_24px] [content-visibility:auto]">
          <button
            type="button"
            data-changed={path}
            title={words.jumpTo(path)}
            className="flex min-h-6 w-full items-center gap-2 px-4 text-start hover:bg-raise focus-visible:-outline-offset-2 max-sm:min-h-9"
            onClick={() => onChoose(path)}
          >
            <bdi dir="ltr" className="flex min-w-0 grow font-mono">
              <span className="truncate text-mute">{visibleText(folderOf(path))}</span>
              <span className="shrink-0">{visibleText(path.slice(folderOf(path).length))}</span>
            </bdi>
            {amountIn(path) > 0 && (
              <span className="flex shrink-0 items-center gap-1 text-soft tabular-nums">
                <MessageSquare size={12} aria-hidden />
                {amountIn(path)}
              </span>
            )}
            <span className="shrink-0 text-mute">{workspaceStrings.change[change]}</span>
            <Counts additions={additions} deletions={deletions} />
          </button>
        </li>
      ))}
    </ul>
  )
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
