import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Workspace } from '../../../src/contract/workspace.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { workspaceStrings } from '../../strings/workspace.ts'
import { strings } from '../../strings/page.ts'
import { terminalStrings } from '../../strings/terminal.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { bytes } from '../../ui/bytes.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { ago } from '../../ui/time.ts'
import { toast } from '../../ui/toast.tsx'
import { useMayUseTerminal } from '../terminal/may-use.ts'
import { ChangesWindow } from './changes.tsx'

const words = workspaceStrings

/** A workspace: what it is, how it is, and what can be done with it. */
export function WorkspaceRow({ workspace, isOwner }: { workspace: Workspace; isOwner: boolean }) {
  const { id, name, driver, root, branch, state, error, diskBytes, usedAt, app, ports } = workspace
  const [isBusy, setBusy] = useState(false)
  const mayUseTerminal = useMayUseTerminal()
  const [isShown, setShown] = useState(false)
  const facts = [
    words.driver[driver],
    ...(branch ? [branch] : []),
    ...(driver === 'folder' ? [] : [words.reaches(workspace.egress)]),
    ...(diskBytes === null ? [] : [bytes(diskBytes)]),
    ...(usedAt ? [words.used(ago(usedAt))] : []),
  ]
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true)
    try {
      await work()
      await queryClient.invalidateQueries({ queryKey: ['workspaces'] })
    } catch (failure) {
      toast(words.notDone(failure instanceof Error ? failure.message : String(failure)), { isProblem: true })
    } finally {
      setBusy(false)
    }
  }
  const preview = async () => {
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
  const trash = async () => {
    await roomApi.trashWorkspace(id)
    toast(words.trashed(name), {
      action: { label: words.undo, run: () => void act(() => roomApi.restoreWorkspace(id)) },
    })
  }
  return (
    <li
      data-workspace={id}
      className="flex min-h-12 flex-wrap items-center gap-3 border-b border-line py-1.5"
    >
      <div className="min-w-0 grow basis-80">
        <p className="flex items-baseline gap-2">
          <bdi className="truncate font-medium">{name}</bdi>
        </p>
        <p className="truncate text-small text-mute">
          {facts.join(' · ')}
          <bdi dir="ltr" className="ms-2 font-mono text-tiny max-sm:ms-0 max-sm:block max-sm:truncate">
            {root}
          </bdi>
        </p>
        {error && <p className="text-small wrap-anywhere text-stop">{error}</p>}
      </div>
      <span className="text-small text-soft">
        <Signal {...standing(workspace)} />
      </span>
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
      {isOwner && state === 'failed' && (
        <Button disabled={isBusy} onClick={() => void act(() => roomApi.prepareWorkspace(id))}>
          {isBusy ? words.retrying : strings.retry}
        </Button>
      )}
      {state === 'ready' && (app || ports.length === 1) && (
        <Button disabled={isBusy} onClick={() => void act(preview)}>
          {words.preview}
        </Button>
      )}
      {isOwner && state !== 'trashed' && (
        <Button disabled={isBusy} aria-label={words.removeOne(name)} onClick={() => void act(trash)}>
          {driver === 'folder' && !workspace.parentId ? words.forget : words.remove}
        </Button>
      )}
      {isOwner && state === 'trashed' && (
        <Button disabled={isBusy} onClick={() => void act(() => roomApi.restoreWorkspace(id))}>
          {words.restore}
        </Button>
      )}
      {isShown && <ChangesWindow workspace={workspace} onClose={() => setShown(false)} />}
    </li>
  )
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
