import { useState } from 'react'
import type { Source, SourceStatus } from '../../../src/contract/source.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { Button } from '../../ui/button.tsx'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { soon } from '../../ui/moments.ts'
import { toast } from '../../ui/toast.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { readSourcesAgain } from './read-sources-again.ts'
import { SourceWindow } from './source-window.tsx'
import { toolApi } from './tool-api.ts'

const aspects = {
  connecting: 'queued',
  healthy: 'done',
  unhealthy: 'stopped',
  unauthorized: 'waits',
  disabled: 'off',
} as const satisfies Record<SourceStatus, Aspect>

/** A source of tools: what it is, how it is, and what can be done about it. */
export function SourceRow({ source, isOwner }: { source: Source; isOwner: boolean }) {
  const { name, config, origin, health } = source
  const [isBusy, setBusy] = useState(false)
  const [isSure, setSure] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const status = health?.status ?? 'connecting'
  const facts = [
    words.transport[config.transport],
    ...(health ? [words.tools(health.tools)] : []),
    words.grantedTo(config.grants),
    ...(words.origin[origin] ? [words.origin[origin]] : []),
    ...(health?.nextRetryAt ? [words.retryAt(soon(health.nextRetryAt))] : []),
  ]
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true)
    try {
      await work()
      await readSourcesAgain()
    } catch (failure) {
      toast(words.notDone(failure instanceof Error ? failure.message : String(failure)), { isProblem: true })
    } finally {
      setBusy(false)
    }
  }
  const letIn = async () => {
    // Opened before the answer is there: a window that a click did not open is blocked.
    const page = window.open('about:blank', '_blank')
    try {
      const { authorizationUrl } = await toolApi.authorizeSource(name)
      if (page) page.location.href = authorizationUrl
      toast(words.letInHint)
    } catch (failure) {
      page?.close()
      throw failure
    }
  }
  const remove = async () => {
    await toolApi.removeSource(name)
    toast(words.removed(name))
  }
  return (
    <li data-source={name} className="flex min-h-12 flex-wrap items-center gap-3 border-b border-line py-1.5">
      <div className="min-w-0 grow basis-80">
        <p className="flex items-baseline gap-2">
          <bdi className="truncate font-medium">{name}</bdi>
          {health?.server && (
            <bdi className="truncate text-small text-mute">{visibleText(health.server)}</bdi>
          )}
        </p>
        <p className="truncate text-small text-mute">{facts.join(' · ')}</p>
        {health?.error && (
          <p className={`text-small wrap-anywhere ${status === 'healthy' ? 'text-mute' : 'text-stop'}`}>
            {visibleText(health.error)}
          </p>
        )}
      </div>
      <span className="text-small text-soft">
        <Signal aspect={aspects[status]} word={words.status[status]} />
      </span>
      {status === 'unauthorized' && config.auth?.type === 'oauth' && (
        <Button disabled={isBusy} onClick={() => void act(letIn)}>
          {words.letIn}
        </Button>
      )}
      {isOwner && mayRetry(source) && (
        <Button disabled={isBusy} onClick={() => void act(() => toolApi.retrySource(name))}>
          {status === 'healthy' ? words.reconnect : words.retry}
        </Button>
      )}
      {isOwner && origin !== 'yaml' && (
        <>
          <Button aria-label={words.changeOne(name)} onClick={() => setEditing(true)}>
            {words.change}
          </Button>
          <Button
            disabled={isBusy}
            onClick={() => void act(() => toolApi.editSource(name, { enabled: status === 'disabled' }))}
          >
            {status === 'disabled' ? words.on : words.off}
          </Button>
          {isSure ? (
            <Button
              look="danger"
              disabled={isBusy}
              onBlur={() => setSure(false)}
              onClick={() => void act(remove)}
            >
              {words.removeForGood}
            </Button>
          ) : (
            <Button disabled={isBusy} aria-label={words.removeOne(name)} onClick={() => setSure(true)}>
              {words.remove}
            </Button>
          )}
        </>
      )}
      {isEditing && <SourceWindow source={source} onClose={() => setEditing(false)} />}
    </li>
  )
}

/** Whoever has to be let in by a person is not helped by trying. */
const mayRetry = ({ health, config }: Source): boolean =>
  health?.status === 'healthy' ||
  health?.status === 'unhealthy' ||
  (health?.status === 'unauthorized' && config.auth?.type !== 'oauth')
