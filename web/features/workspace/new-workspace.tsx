import { useState } from 'react'
import type { CreateWorkspace, WorkspaceDriver } from '../../../src/contract/workspace.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { workspaceStrings } from '../../strings/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Pick } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'

const words = workspaceStrings
const drivers: WorkspaceDriver[] = ['folder', 'sandbox', 'docker']
const reaches = ['model', 'none', 'open', 'list'] as const
type Reach = (typeof reaches)[number]

/** Makes a workspace: which walls, which files, and what may go out. */
export function NewWorkspace({ onClose }: { onClose: () => void }) {
  const [driver, setDriver] = useState<WorkspaceDriver>('sandbox')
  const [name, setName] = useState('')
  const [from, setFrom] = useState('')
  const [image, setImage] = useState('')
  const [reach, setReach] = useState<Reach>('model')
  const [hosts, setHosts] = useState('')
  const [isMaking, setMaking] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isFolder = driver === 'folder'
  const isReady = !isMaking && (!isFolder || from.trim() !== '') && (reach !== 'list' || hosts.trim() !== '')

  const make = async () => {
    if (!isReady) return
    setMaking(true)
    setProblem(null)
    try {
      const made = await roomApi.makeWorkspace({
        driver,
        ...(name.trim() && { name }),
        ...(isFolder ? { root: from.trim() } : from.trim() && { source: { git: from.trim() } }),
        ...(driver === 'docker' && image.trim() && { image: image.trim() }),
        ...(!isFolder && { egress: egressOf(reach, hosts) }),
      })
      toast(words.made(made.name))
      await queryClient.invalidateQueries({ queryKey: ['workspaces'] })
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setMaking(false)
    }
  }
  return (
    <Dialog title={words.newOne} onClose={onClose} className="w-150">
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 pb-3">
          <Field label={words.name}>
            <input
              className={fieldLook}
              value={name}
              maxLength={100}
              onChange={(e) => setName(e.target.value)}
            />
          </Field>
          <Field label={words.walls}>
            <Pick value={driver} choices={drivers} nameOf={(one) => words.driver[one]} onChoose={setDriver} />
            <span className="text-small text-mute">{words.what[driver]}</span>
          </Field>
          <Field label={isFolder ? words.folder : words.repository}>
            <input
              dir="ltr"
              className={fieldLook}
              value={from}
              maxLength={4096}
              placeholder={isFolder ? words.folderHint : words.repositoryHint}
              onChange={(event) => setFrom(event.target.value)}
            />
          </Field>
          {driver === 'docker' && (
            <Field label={words.image}>
              <input
                dir="ltr"
                className={fieldLook}
                value={image}
                maxLength={500}
                placeholder={words.imageHint}
                onChange={(event) => setImage(event.target.value)}
              />
            </Field>
          )}
          {!isFolder && (
            <Field label={words.goesOut}>
              <Pick value={reach} choices={reaches} nameOf={(one) => words.egress[one]} onChoose={setReach} />
              {reach === 'list' && (
                <input
                  dir="ltr"
                  className={fieldLook}
                  value={hosts}
                  aria-label={words.hosts}
                  placeholder={words.hostsHint}
                  onChange={(event) => setHosts(event.target.value)}
                />
              )}
            </Field>
          )}
          {problem && (
            <p role="alert" className="wrap-anywhere text-stop">
              {problem}
            </p>
          )}
        </div>
        <div className="flex justify-end border-t border-line px-4 py-3">
          <Button look="main" type="submit" disabled={!isReady}>
            {isMaking ? words.making : words.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const egressOf = (reach: Reach, hosts: string): CreateWorkspace['egress'] =>
  reach === 'list' ? hosts.split(/[\s,]+/).filter(Boolean) : reach
