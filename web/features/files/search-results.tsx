import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { roomApi } from '../../room-api.ts'
import { filesStrings as words } from '../../strings/files.ts'
import { visibleText } from '../approval/visible-text.ts'
import type { Wish } from './search-field.tsx'

const mostFiles = 200
const mostLines = 20
const look = 'block px-4 py-0.5 hover:bg-raise focus-visible:-outline-offset-2 max-sm:py-2'

/** What was found, and in which lines. */
export function SearchResults({ sessionId, wish }: { sessionId: string; wish: Wish }) {
  const { text, by } = useDeferredValue(wish)
  const { data, error, isFetching } = useQuery({
    queryKey: ['search', sessionId, by, text],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 150))
      signal.throwIfAborted()
      const pattern = text.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      const type = by === 'name' ? 'regex' : 'content'
      return roomApi.searchFiles(sessionId, { pattern, type, caseSensitive: false, limit: mostFiles }, signal)
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  })
  return (
    <div data-found className="min-h-0 grow overflow-y-auto py-1" aria-busy={isFetching}>
      <output className="block px-4 py-1 text-small text-mute">
        {error
          ? error.message
          : !data
            ? words.searching
            : data.files.length === 0
              ? words.foundNone
              : words.found(data.files.length)}
      </output>
      {data?.files.map(({ path, matches }) => (
        <div key={path}>
          <Link
            to="/sessions/$id"
            params={{ id: sessionId }}
            search={{ view: 'files', file: path }}
            data-entry={path}
            className={`${look} truncate`}
          >
            <bdi dir="ltr">{visibleText(path)}</bdi>
          </Link>
          {matches?.slice(0, mostLines).map(({ line, text: said }) => (
            <Link
              key={line}
              to="/sessions/$id"
              params={{ id: sessionId }}
              search={{ view: 'files', file: path, line: String(line) }}
              className={`${look} flex gap-2 font-mono text-small text-soft`}
            >
              <span className="w-9 shrink-0 text-end text-mute tabular-nums">{line}</span>
              <bdi dir="ltr" className="min-w-0 truncate">
                {visibleText(said.slice(0, 300))}
              </bdi>
            </Link>
          ))}
        </div>
      ))}
      {data?.truncated && <p className="px-4 py-1 text-small text-mute">{words.foundMore}</p>}
    </div>
  )
}
