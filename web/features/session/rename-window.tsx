import { useState } from 'react'
import type { Session } from '../../../src/contract/session.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { roomStrings as words } from '../../strings/room.ts'
import { announce } from '../../ui/announce.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { sessionsKey } from './executions-cache.ts'

export function RenameWindow({ session: { id, title }, onClose }: { session: Session; onClose: () => void }) {
  const [name, setName] = useState(title)
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isReady = name.trim() !== '' && name.trim() !== title && !isSaving
  const save = async () => {
    if (!isReady) return
    setSaving(true)
    try {
      queryClient.setQueryData(['session', id], await roomApi.editSession(id, { title: name.trim() }))
      void queryClient.invalidateQueries({ queryKey: sessionsKey })
      announce(words.renamed)
      onClose()
    } catch (error) {
      setProblem(words.notDone(error instanceof Error ? error.message : String(error)))
      setSaving(false)
    }
  }
  return (
    <Dialog title={words.renameHeading} onClose={onClose}>
      <form
        className="flex flex-col gap-3 px-4 pb-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Field label={words.name}>
          <input
            dir="auto"
            value={name}
            maxLength={200}
            className={fieldLook}
            onFocus={(event) => event.target.select()}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        {problem && (
          <p role="alert" className="wrap-anywhere text-stop">
            {problem}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button look="main" type="submit" disabled={!isReady}>
            {words.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
