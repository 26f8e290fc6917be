import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { strings } from '../../strings/page.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { bytes } from '../../ui/bytes.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { actOn } from './act.ts'
import { workspaceApi } from './workspace-api.ts'

/** What crashes left behind: first what would go, then that it goes. */
export function PruneWindow({ onClose }: { onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['prune'],
    queryFn: () => workspaceApi.prune(true),
    staleTime: 0,
    gcTime: 0,
  })
  const [isBusy, setBusy] = useState(false)
  const go = async () => {
    setBusy(true)
    await actOn(words.prune, async () => {
      const gone = await workspaceApi.prune(false)
      toast(words.pruned(gone.items.length, bytes(gone.bytes)))
      onClose()
    })
    setBusy(false)
  }
  return (
    <Dialog title={words.pruneTitle} onClose={onClose} className="w-160">
      <div className="flex min-h-24 flex-col gap-3 overflow-y-auto px-4 pb-4">
        <p className="text-soft">{words.pruneText}</p>
        {!data && !error && <output className="text-mute">{words.pruneLooking}</output>}
        {error && (
          <p role="alert" className="flex items-center gap-3 text-stop">
            {error.message} <Button onClick={() => void refetch()}>{strings.retry}</Button>
          </p>
        )}
        {data?.items.length === 0 && <p>{words.pruneNothing}</p>}
        {data && data.items.length > 0 && (
          <ul className="border-t border-line" data-prune>
            {data.items.map(({ kind, name, bytes: size, reason }) => (
              <li key={`${kind} ${name}`} className="border-b border-line py-1.5">
                <p className="flex gap-3">
                  <span className="w-20 shrink-0 text-small text-mute">{words.pruneKind[kind]}</span>
                  <bdi dir="ltr" className="min-w-0 grow truncate font-mono text-small">
                    {name}
                  </bdi>
                  <span className="shrink-0 text-small tabular-nums">{bytes(size)}</span>
                </p>
                <p className="ps-23 text-small text-mute">{reason}</p>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-4 py-3">
        <Button onClick={onClose}>{strings.close}</Button>
        {data && data.items.length > 0 && (
          <Button look="danger" disabled={isBusy} onClick={() => void go()}>
            {words.pruneAct(data.items.length, bytes(data.bytes))}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
