import { MoreHorizontal } from 'lucide-react'
import { useState } from 'react'
import type { Workspace } from '../../../src/contract/workspace.ts'
import { roomApi } from '../../room-api.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { IconButton } from '../../ui/button.tsx'
import { bytes } from '../../ui/bytes.ts'
import { MenuContent, MenuItem, MenuLine, MenuRoot, MenuTrigger } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import { actOn } from './act.ts'
import { ArchiveWindow } from './archive-window.tsx'
import { workspaceApi } from './workspace-api.ts'
import { WorkspaceForm } from './workspace-form.tsx'

interface Props {
  workspace: Workspace
  isBusy: boolean
  act: (work: () => Promise<unknown>) => Promise<void>
}

/** What the owner does with a workspace now and then. */
export function WorkspaceMenu({ workspace, isBusy, act }: Props) {
  const { id, name, state, driver, parentId, running } = workspace
  const [open, setOpen] = useState<'archive' | 'form' | null>(null)
  const isReady = state === 'ready'
  const isOwn = driver === 'folder' && parentId === null
  const measure = async () => {
    const { diskBytes } = await workspaceApi.measure(id)
    toast(words.takes(name, bytes(diskBytes ?? 0)))
  }
  const stop = async () => {
    await workspaceApi.stop(id)
    toast(words.stopped(name))
  }
  const trash = async () => {
    await roomApi.trashWorkspace(id)
    toast(isOwn ? words.forgotten(name) : words.trashed(name), {
      action: { label: words.undo, run: () => void actOn(name, () => roomApi.restoreWorkspace(id)) },
    })
  }
  return (
    <>
      <MenuRoot>
        <MenuTrigger asChild>
          <IconButton label={words.more(name)} disabled={isBusy}>
            <MoreHorizontal size={16} aria-hidden />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          <MenuItem onSelect={() => setOpen('form')}>{words.edit}</MenuItem>
          <MenuItem disabled={!isReady} onSelect={() => setOpen('archive')}>
            {words.archive}
          </MenuItem>
          <MenuItem disabled={!isReady} onSelect={() => void act(measure)}>
            {words.measure}
          </MenuItem>
          {running && <MenuItem onSelect={() => void act(stop)}>{words.stop}</MenuItem>}
          <MenuLine />
          <MenuItem onSelect={() => void act(trash)}>{isOwn ? words.forget : words.remove}</MenuItem>
        </MenuContent>
      </MenuRoot>
      {open === 'archive' && <ArchiveWindow workspace={workspace} onClose={() => setOpen(null)} />}
      {open === 'form' && <WorkspaceForm workspace={workspace} onClose={() => setOpen(null)} />}
    </>
  )
}
