import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { roomApi } from '../../room-api.ts'
import { terminalStrings as words } from '../../strings/terminal.ts'
import { PageHead } from '../shell/page-head.tsx'
import { TerminalPane } from './terminal-part.tsx'

const route = getRouteApi('/workspaces/$id/shell')

/** A shell in a workspace, whether or not an agent is at work there. */
export default function ShellPage(): ReactNode {
  const { id } = route.useParams()
  const workspace = useQuery({
    queryKey: ['workspace', id],
    queryFn: ({ signal }) => roomApi.workspace(id, signal),
  }).data
  return (
    <>
      <PageHead title={workspace ? words.shellOf(workspace.name) : words.shell} />
      <Link
        to="/workspaces"
        className="mx-5.5 -mt-1.5 mb-2 inline-flex items-center gap-1 self-start text-small text-mute hover:text-text max-sm:mx-4"
      >
        <ChevronLeft size={13} aria-hidden className="rtl:-scale-x-100" /> {words.back}
      </Link>
      <div className="flex min-h-0 grow flex-col border-t border-line">
        <TerminalPane
          key={id}
          of={{ workspaceId: id }}
          window="shell"
          tabs={
            <bdi dir="ltr" className="truncate font-mono text-small text-soft">
              {workspace?.root}
            </bdi>
          }
        />
      </div>
    </>
  )
}
