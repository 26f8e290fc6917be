import { useState } from 'react'
import { ArchiveWorkspace } from '../../../src/contract/workspace.ts'
import type { Workspace } from '../../../src/contract/workspace.ts'
import { misfitsIn } from '../../misfit.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { AskFirst } from '../../ui/ask-first.tsx'
import { bytes } from '../../ui/bytes.ts'
import { Field } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { reread } from './act.ts'
import { workspaceApi } from './workspace-api.ts'

/** Saves all files of a workspace. */
export function ArchiveWindow({
  workspace: { id, name },
  onClose,
}: {
  workspace: Workspace
  onClose: () => void
}) {
  const [wanted, setWanted] = useState('')
  const misfit = wanted.trim() === '' ? undefined : misfitsIn(ArchiveWorkspace, { name: wanted })['name']
  const save = async () => {
    if (misfit) throw new Error(misfit)
    const made = await workspaceApi.archive(id, wanted.trim())
    toast(words.archived(made.name, bytes(made.bytes)))
    await reread()
  }
  return (
    <AskFirst
      title={words.archiveOf(name)}
      text={words.archiveText}
      act={words.archiveAct}
      isDanger={false}
      onAct={save}
      onClose={onClose}
    >
      <Field label={words.archiveName}>
        <input
          dir="ltr"
          className={fieldLook}
          value={wanted}
          maxLength={100}
          placeholder={words.archiveNameHint}
          onChange={(event) => setWanted(event.target.value)}
        />
        {misfit && <span className="text-small text-stop">{misfit}</span>}
      </Field>
    </AskFirst>
  )
}
