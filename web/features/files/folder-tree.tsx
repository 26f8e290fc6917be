import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronRight, File, FileSymlink, Folder } from 'lucide-react'
import { useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { roomApi } from '../../room-api.ts'
import { filesStrings as words } from '../../strings/files.ts'
import { bytes } from '../../ui/bytes.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { entriesOf } from './tree-rows.ts'
import type { Answer, TreeRow } from './tree-rows.ts'

interface Props {
  sessionId: string
  open: ReadonlySet<string>
  onOpen: (open: ReadonlySet<string>) => void
}

const rowHeight = () => (window.matchMedia('(width < 40rem)').matches ? 36 : 26)
const look =
  'flex h-full w-full min-w-0 items-center gap-1.5 pe-4 text-start hover:bg-raise focus-visible:-outline-offset-2'

/** All folders that were opened, and what is in them. Each is read when it is opened. */
export function FolderTree({ sessionId, open, onOpen }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const folders = ['', ...open]
  const answers = useQueries({
    queries: folders.map((path) => ({
      queryKey: ['folder', sessionId, path],
      queryFn: ({ signal }: { signal: AbortSignal }) => roomApi.listFolder(sessionId, path || '.', signal),
      staleTime: 0,
      retry: false,
    })),
  })
  const known = new Map<string, Answer>(folders.map((path, at) => [path, answers[at] ?? {}]))
  const rows = entriesOf(known, open)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.path ?? index,
    estimateSize: rowHeight,
    overscan: 20,
  })
  const [root] = answers
  if (root?.error)
    return (
      <Empty title={words.gone} text={root.error.message}>
        <Button onClick={() => void root.refetch()}>{words.again}</Button>
      </Empty>
    )
  const toggle = (path: string) =>
    onOpen(open.has(path) ? new Set([...open].filter((each) => each !== path)) : new Set([...open, path]))
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const at = Number((event.target as HTMLElement).closest('li')?.dataset['index'] ?? -1)
    const row = rows[at]
    const isOpening = event.key === 'ArrowRight' || event.key === 'ArrowLeft'
    if (isOpening && row?.kind === 'folder' && open.has(row.path) === (event.key === 'ArrowLeft'))
      toggle(row.path)
    if (step === 0) return
    event.preventDefault()
    virtualizer.scrollToIndex(at + step)
    scroller.current?.querySelector<HTMLElement>(`li[data-index="${at + step}"] :is(a, button)`)?.focus()
  }
  return (
    <div ref={scroller} className="min-h-0 grow overflow-y-auto py-1">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrows go from one link or button to the next */}
      <ul
        aria-label={words.tree}
        className="relative"
        style={{ blockSize: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {virtualizer.getVirtualItems().map(({ index, start, key, size }) => {
          const row = rows[index]
          if (!row) return null
          return (
            <li
              key={key}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)`, blockSize: size }}
            >
              <Row
                row={row}
                sessionId={sessionId}
                isOpen={open.has(row.path)}
                onToggle={() => toggle(row.path)}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}

interface RowProps {
  row: TreeRow
  sessionId: string
  isOpen: boolean
  onToggle: () => void
}

function Row({ row: { kind, path, name, depth, size }, sessionId, isOpen, onToggle }: RowProps) {
  const style = { paddingInlineStart: 12 + depth * 14 }
  if (kind === 'note')
    return (
      <p className="flex h-full items-center text-small text-mute" style={style}>
        {name}
      </p>
    )
  if (kind === 'folder')
    return (
      <button
        type="button"
        aria-expanded={isOpen}
        data-folder={path}
        className={look}
        style={style}
        onClick={onToggle}
      >
        {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
        <Folder size={14} aria-hidden className="shrink-0 text-mute" />
        <bdi className="truncate">{visibleText(name)}</bdi>
      </button>
    )
  const Icon = kind === 'link' ? FileSymlink : File
  return (
    <Link
      to="/sessions/$id"
      params={{ id: sessionId }}
      search={{ view: 'files', file: path }}
      data-entry={path}
      className={look}
      style={style}
    >
      <span className="w-3.5 shrink-0" />
      <Icon size={14} aria-hidden className="shrink-0 text-mute" />
      <bdi className="min-w-0 grow truncate">{visibleText(name)}</bdi>
      <span className="shrink-0 text-small text-mute tabular-nums">{bytes(size)}</span>
    </Link>
  )
}
