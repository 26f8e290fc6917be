import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Session } from '../../../src/contract/session.ts'
import { FileView } from './file-view.tsx'
import { FolderTree } from './folder-tree.tsx'
import { SearchField } from './search-field.tsx'
import type { Wish } from './search-field.tsx'
import { SearchResults } from './search-results.tsx'

const route = getRouteApi('/sessions/$id')

/** The files of a session's workspace: folder by folder, by what they are called, by what is in them, and one of them open. */
export default function FilesTab({ session }: { session: Session }) {
  const { file, line } = route.useSearch()
  const [wish, setWish] = useState<Wish>({ text: '', by: 'name' })
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  if (file !== undefined)
    return (
      <FileView
        key={file}
        sessionId={session.id}
        path={file}
        line={line === undefined ? null : Number(line)}
      />
    )
  return (
    <div className="flex min-h-0 grow flex-col">
      <SearchField wish={wish} onChange={setWish} />
      {wish.text.trim() === '' ? (
        <FolderTree sessionId={session.id} open={open} onOpen={setOpen} />
      ) : (
        <SearchResults sessionId={session.id} wish={wish} />
      )}
    </div>
  )
}
