import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { Workspace } from '../../../src/contract/workspace.ts'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { terminalStrings } from '../../strings/terminal.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { bytes } from '../../ui/bytes.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { ago, dateAndTime } from '../../ui/time.ts'
import { useMayUseTerminal } from '../terminal/may-use.ts'
import { actOn } from './act.ts'
import { ChangesWindow } from './changes.tsx'
import { WorkspaceMenu } from './workspace-menu.tsx'
import { WorkspaceSessions } from './workspace-sessions.tsx'

/** A workspace: what it is, how it is, who works in it, and what can be done with it. */
export function WorkspaceRow({ workspace, isOwner }: { workspace: Workspace; isOwner: boolean }) {
  const { id, name, root, branch, state, error, sessions, app, ports } = workspace
  const [isBusy, setBusy] = useState(false)
  const mayUseTerminal = useMayUseTerminal()
  const [isShown, setShown] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true)
    await actOn(name, work)
    setBusy(false)
  }
  const Arrow = isOpen ? ChevronDown : ChevronRight
  return (
    <div data-workspace={id} className="border-b border-line py-1.5">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1.5">
        <div className="min-w-0 grow basis-80 max-sm:basis-[calc(100%-48px)]">
          <p className="flex items-baseline gap-2">
            <bdi className="truncate font-medium">{name}</bdi>
          </p>
          <p className="truncate text-small text-mute">
            {factsOf(workspace).join(' · ')}
            <DiskFact workspace={workspace} />
            <bdi dir="ltr" className="ms-2 font-mono text-tiny max-sm:ms-0 max-sm:block max-sm:truncate">
              {root}
            </bdi>
          </p>
          {error && <p className="text-small wrap-anywhere text-stop">{error}</p>}
        </div>
        <div className="flex flex-wrap items-center gap-3 max-sm:order-2 max-sm:w-full max-sm:gap-2">
          <span className="text-small text-soft">
            <Signal {...standing(workspace)} />
          </span>
          {sessions > 0 && (
            <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {words.sessions(sessions)}
              <Arrow size={14} className={isOpen ? '' : 'rtl:rotate-180'} aria-hidden />
            </Button>
          )}
          {state === 'ready' && branch && (
            <Button disabled={isBusy} onClick={() => setShown(true)}>
              {words.changes}
            </Button>
          )}
          {mayUseTerminal && state === 'ready' && (
            <Link
              to="/workspaces/$id/shell"
              params={{ id }}
              aria-label={terminalStrings.shellIn(name)}
              className={buttonLook()}
            >
              {terminalStrings.shell}
            </Link>
          )}
          {isOwner && (state === 'failed' || state === 'new') && (
            <Button disabled={isBusy} onClick={() => void act(() => roomApi.prepareWorkspace(id))}>
              {isBusy ? words.preparing : state === 'failed' ? strings.retry : words.prepare}
            </Button>
          )}
          {state === 'ready' && (app || ports.length === 1) && (
            <Button disabled={isBusy} onClick={() => void act(() => preview(id))}>
              {words.preview}
            </Button>
          )}
        </div>
        {isOwner && <WorkspaceMenu workspace={workspace} isBusy={isBusy} act={act} />}
      </div>
      {isOpen && <WorkspaceSessions workspaceId={id} />}
      {isShown && <ChangesWindow workspace={workspace} onClose={() => setShown(false)} />}
    </div>
  )
}

function factsOf({ driver, parentId, branch, egress, usedAt, live }: Workspace): string[] {
  return [
    parentId === null ? words.driver[driver] : words.worktree,
    ...(branch ? [branch] : []),
    ...(driver === 'folder' ? [] : [words.reaches(egress)]),
    ...(live > 0 ? [words.live(live)] : []),
    ...(usedAt ? [words.used(ago(usedAt))] : []),
  ]
}

function DiskFact({ workspace: { diskBytes, diskMeasuredAt } }: { workspace: Workspace }) {
  if (diskBytes === null) return null
  return (
    <span
      data-disk
      className="tabular-nums"
      title={diskMeasuredAt ? words.measured(dateAndTime(diskMeasuredAt)) : undefined}
    >
      {' · '}
      {bytes(diskBytes)}
    </span>
  )
}

async function preview(id: string): Promise<void> {
  // Opened before the answer is there: a window that a click did not open is blocked.
  const page = window.open('about:blank', '_blank')
  try {
    const { url } = await roomApi.preview(id)
    if (page) page.location.href = url
  } catch (failure) {
    page?.close()
    throw failure
  }
}

const aspects = {
  new: 'idle',
  preparing: 'queued',
  ready: 'idle',
  failed: 'stopped',
  trashed: 'off',
} as const satisfies Record<Workspace['state'], Aspect>

const standing = ({ state, running }: Workspace): { aspect: Aspect; word: string } =>
  state === 'ready' && running
    ? { aspect: 'moving', word: words.running }
    : { aspect: aspects[state], word: words.state[state] }
