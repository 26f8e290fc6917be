import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Archives } from './archives.tsx'
import { DiskUse } from './disk-use.tsx'
import { Drivers } from './drivers.tsx'
import { PruneWindow } from './prune-window.tsx'
import { Trash } from './trash.tsx'
import { WorkspaceForm } from './workspace-form.tsx'
import { WorkspaceTree } from './workspace-tree.tsx'

const views = ['here', 'archives', 'trash'] as const

/** Where agents work, what encloses them there, and what this machine can enclose them with. */
export default function WorkspacesPage() {
  const isOwner = useStore(session, (key) => key?.principal.kind === 'owner')
  const { view = 'here' } = useSearch({ from: '/workspaces' })
  const navigate = useNavigate({ from: '/workspaces' })
  const [form, setForm] = useState<{ archive?: string } | null>(null)
  const [isPruning, setPruning] = useState(false)
  const make = (archive?: string) => setForm(archive === undefined ? {} : { archive })
  return (
    <>
      <PageHead title={words.heading}>
        {isOwner && (
          <>
            <Button look="main" onClick={() => make()}>
              {words.make}
            </Button>
            <Button onClick={() => setPruning(true)}>{words.prune}</Button>
          </>
        )}
      </PageHead>
      <div className="flex min-h-0 grow flex-col gap-6 overflow-y-auto px-5.5 pt-1 pb-20 max-sm:px-4">
        {isOwner && (
          <div className="flex max-w-220 flex-wrap items-center gap-x-5 gap-y-2">
            <nav aria-label={words.views} className="flex rounded-control border border-edge p-0.5">
              {views.map((one) => (
                <Link
                  key={one}
                  to="/workspaces"
                  search={one === 'here' ? {} : { view: one }}
                  activeOptions={{ exact: true }}
                  className="flex h-7 items-center rounded-small px-3 text-soft aria-[current=page]:bg-raise aria-[current=page]:text-text max-sm:h-9"
                >
                  {words.view[one]}
                </Link>
              ))}
            </nav>
            <DiskUse />
          </div>
        )}
        {view === 'here' && <WorkspaceTree isOwner={isOwner} onMake={() => make()} />}
        {isOwner && view === 'archives' && <Archives onStart={make} />}
        {isOwner && view === 'trash' && <Trash />}
        {isOwner && view === 'here' && (
          <Section title={words.drivers} hint={words.driversHint}>
            <Drivers />
          </Section>
        )}
      </div>
      {form && (
        <WorkspaceForm
          archive={form.archive}
          onClose={() => setForm(null)}
          onSaved={() => void navigate({ search: {} })}
        />
      )}
      {isPruning && <PruneWindow onClose={() => setPruning(false)} />}
    </>
  )
}
