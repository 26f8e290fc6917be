import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { codeStrings } from '../../strings/code.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { Button } from '../../ui/button.tsx'
import { ViewLink, Views } from '../../ui/views.tsx'
import { Playground } from '../code/playground-part.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NewSource } from './new-source.tsx'
import { SourcesView } from './sources-view.tsx'

const route = getRouteApi('/tools')

/** Where tools come from and what they offer, and a place to write code that calls them. */
export default function ToolsPage() {
  const { view } = route.useSearch()
  const principal = useStore(session, (key) => key?.principal)
  const isOwner = principal?.kind === 'owner'
  const mayRun = principal?.scopes.includes('code') ?? false
  const [isAdding, setAdding] = useState(false)
  const isCode = view === 'code'
  return (
    <>
      <PageHead title={words.heading}>
        <Views label={words.view}>
          <ViewLink to="/tools" search={{}} isShown={!isCode}>
            {words.views.sources}
          </ViewLink>
          <ViewLink to="/tools" search={{ view: 'code' }} isShown={isCode}>
            {words.views.code}
          </ViewLink>
        </Views>
        {isOwner && !isCode && (
          <Button look="main" onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        )}
      </PageHead>
      {!isCode && <SourcesView isOwner={isOwner} />}
      {isCode && mayRun && <Playground />}
      {isCode && !mayRun && <p className="px-5.5 py-2 text-soft max-sm:px-4">{codeStrings.mayNot}</p>}
      {isAdding && <NewSource onClose={() => setAdding(false)} />}
    </>
  )
}
