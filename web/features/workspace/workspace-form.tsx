import { useState } from 'react'
import type { Workspace, WorkspaceDriver } from '../../../src/contract/workspace.ts'
import { roomApi } from '../../room-api.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Pick } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { reread } from './act.ts'
import { Misfit } from '../../ui/misfit-line.tsx'
import { Line, Place } from './form-fields.tsx'
import { useDriver } from './drivers.tsx'
import { workspaceApi } from './workspace-api.ts'
import { createOf, editOf, misfitsOf, reaches, writtenOf } from './workspace-body.ts'
import type { Written } from './workspace-body.ts'
import { useMachines } from './workspace-machines.ts'
import { SourceFields } from './source-fields.tsx'

const drivers: WorkspaceDriver[] = ['folder', 'sandbox', 'docker']

interface Props {
  /** Without one, a new one is made. */
  workspace?: Workspace
  /** What a new one begins from. */
  archive?: string | undefined
  onClose: () => void
  onSaved?: () => void
}

/** Makes a workspace, or changes one: which walls, which files, and what may go out. */
export function WorkspaceForm({ workspace, archive, onClose, onSaved }: Props) {
  const isNew = workspace === undefined
  const [written, setWritten] = useState(() => writtenOf(workspace, archive))
  const write = (change: Partial<Written>) => setWritten((now) => ({ ...now, ...change }))
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const machines = useMachines().data?.filter(({ state }) => state === 'up') ?? []
  const { driver, reach } = written
  const tried = useDriver(driver, written.machineId || undefined)
  const misfits = misfitsOf(written, isNew)
  const isFit = Object.keys(misfits).length === 0
  const field = { written, misfits, write }

  const save = async () => {
    setBusy(true)
    setProblem(null)
    try {
      const made = await (isNew
        ? roomApi.makeWorkspace(createOf(written))
        : workspaceApi.edit(workspace.id, editOf(written)))
      toast(isNew ? words.made(made.name) : words.saved(made.name))
      await reread()
      onSaved?.()
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={isNew ? words.newOne : words.editOne(workspace.name)} onClose={onClose} className="w-150">
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          if (isFit && !isBusy) void save()
        }}
      >
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 pb-3">
          <Line {...field} name="name" label={words.name} most={100} />
          {isNew && (
            <div className="flex flex-wrap gap-4">
              <Field label={words.walls}>
                <Pick
                  value={driver}
                  choices={drivers}
                  nameOf={(one) => words.driver[one]}
                  onChoose={(one) => write({ driver: one })}
                />
              </Field>
              {machines.length > 1 && (
                <Field label={words.machine}>
                  <Pick
                    value={written.machineId}
                    choices={['', ...machines.map(({ machineId }) => machineId)]}
                    nameOf={(one) =>
                      machines.find(({ machineId }) => machineId === one)?.name ?? words.thisMachine
                    }
                    onChoose={(machineId) => write({ machineId })}
                  />
                </Field>
              )}
            </div>
          )}
          {isNew && <p className="-mt-2 text-small text-mute">{words.what[driver]}</p>}
          {isNew && tried?.works === false && (
            <output className="text-small wrap-anywhere text-stop">
              {words.cannot} {tried.reason}
            </output>
          )}
          {isNew && driver === 'folder' && (
            <Place {...field} name="root" label={words.folder} hint={words.folderHint} />
          )}
          {driver === 'folder' && (
            <label className="flex items-start gap-2.5">
              <input
                type="checkbox"
                className="mt-0.5 size-4 shrink-0 accent-text"
                checked={written.worktrees}
                onChange={(event) => write({ worktrees: event.target.checked })}
              />
              <span>
                {words.worktrees}
                <span className="block text-small text-mute">{words.worktreesHint}</span>
              </span>
            </label>
          )}
          {isNew && driver !== 'folder' && <SourceFields {...field} />}
          {driver === 'docker' && (
            <Place {...field} name="image" label={words.image} hint={words.imageHint} />
          )}
          {driver !== 'folder' && (
            <Field label={words.goesOut}>
              <Pick
                value={reach}
                choices={reaches}
                nameOf={(one) => words.egress[one]}
                onChoose={(one) => write({ reach: one })}
              />
            </Field>
          )}
          {driver !== 'folder' && reach === 'list' && (
            <Place {...field} name="hosts" label={words.hosts} hint={words.hostsHint} />
          )}
          <Line {...field} name="setup" label={words.setup} hint={words.setupHint} most={10_000} isLong />
          <div className="flex flex-wrap gap-3">
            <div className="min-w-50 grow">
              <Place {...field} name="appCommand" label={words.app} hint={words.appHint} />
            </div>
            <div className="w-30">
              <Place {...field} name="appPort" label={words.port} hint="8000" />
            </div>
          </div>
          {problem && <Misfit reason={problem} isAlert />}
        </div>
        <div className="flex justify-end border-t border-line px-4 py-3">
          <Button look="main" type="submit" disabled={!isFit || isBusy}>
            {isBusy ? words.making : isNew ? words.submit : words.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
