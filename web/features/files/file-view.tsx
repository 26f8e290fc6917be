import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronLeft, Copy, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { roomApi } from '../../room-api.ts'
import { filesStrings as words } from '../../strings/files.ts'
import { bytes } from '../../ui/bytes.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { toast } from '../../ui/toast.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { FileLines } from './file-lines.tsx'
import { FindBar } from './find-bar.tsx'
import { matchesIn } from './find-in-file.ts'

interface Props {
  sessionId: string
  path: string
  /** The line that is looked for. */
  line: number | null
}

/** One file, with the numbers of its lines. */
export function FileView({ sessionId, path, line }: Props) {
  const [sought, setSought] = useState<string | null>(null)
  const [at, setAt] = useState(0)
  const { data, error, refetch } = useQuery({
    queryKey: ['file', sessionId, path],
    queryFn: ({ signal }) => roomApi.readFile(sessionId, path, signal),
    staleTime: 0,
    retry: false,
  })
  const lines = useMemo(() => (data ? data.content.replace(/\n$/, '').split(/\r?\n/) : []), [data])
  const matches = useMemo(() => matchesIn(lines, sought ?? ''), [lines, sought])
  const current = matches[at % Math.max(1, matches.length)]
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(path)
      toast(words.copied)
    } catch {
      toast(words.notCopied, { isProblem: true })
    }
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Ctrl F, wherever in it one is
    <div
      data-file-view={path}
      className="flex min-h-0 grow flex-col"
      onKeyDown={(event) => {
        if (event.key !== 'f' || !(event.ctrlKey || event.metaKey) || !data) return
        event.preventDefault()
        setSought((now) => now ?? '')
      }}
    >
      <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line ps-2 pe-2">
        <Link
          to="/sessions/$id"
          params={{ id: sessionId }}
          search={{ view: 'files' }}
          aria-label={words.back}
          title={words.back}
          className="inline-flex size-7 shrink-0 items-center justify-center rounded-control text-mute hover:bg-raise hover:text-text max-sm:size-9"
        >
          <ChevronLeft size={16} aria-hidden className="rtl:-scale-x-100" />
        </Link>
        <bdi dir="ltr" className="min-w-0 truncate font-mono text-small">
          {visibleText(path)}
        </bdi>
        {data && (
          <span className="shrink-0 text-small text-mute tabular-nums">
            {words.lines(data.lines)}, {bytes(data.size)}
          </span>
        )}
        <span className="ms-auto flex shrink-0">
          <IconButton label={words.find} disabled={!data} onClick={() => setSought((now) => now ?? '')}>
            <Search size={14} aria-hidden />
          </IconButton>
          <IconButton label={words.copyPath} onClick={() => void copy()}>
            <Copy size={14} aria-hidden />
          </IconButton>
        </span>
      </div>
      {sought !== null && (
        <FindBar
          text={sought}
          at={matches.length === 0 ? 0 : (at % matches.length) + 1}
          total={matches.length}
          onText={(text) => {
            setSought(text)
            setAt(0)
          }}
          onStep={(by) => setAt((now) => (now + by + matches.length) % Math.max(1, matches.length))}
          onClose={() => setSought(null)}
        />
      )}
      {error && (
        <Empty title={words.failed} text={error.message}>
          <Button onClick={() => void refetch()}>{words.again}</Button>
        </Empty>
      )}
      {!data && !error && (
        <output className="animate-appear-late px-4 py-2 text-mute">{words.reading}</output>
      )}
      {data && (
        <FileLines path={path} lines={lines} sought={sought ?? ''} shown={current ?? (line ?? 0) - 1} />
      )}
    </div>
  )
}
