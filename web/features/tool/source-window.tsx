import { useState } from 'react'
import type { EditSource, Source } from '../../../src/contract/source.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { EditField } from '../agent/edit-field.tsx'
import { asLines, asNumber, asText, changesOf, written } from '../agent/edit-draft.ts'
import { refusedIn } from '../agent/refused-fields.ts'
import { readSourcesAgain } from './read-sources-again.ts'
import { toolApi } from './tool-api.ts'

const fields = { grants: asLines, tools: asLines, timeout: asNumber, description: asText }
type Name = keyof typeof fields

/** What the owner can change of a source while it is in use. */
export function SourceWindow({ source: { name, config }, onClose }: { source: Source; onClose: () => void }) {
  const [draft, setDraft] = useState<Partial<Record<Name, string>>>({})
  const [isSaving, setSaving] = useState(false)
  const [refusal, setRefusal] = useState<unknown>(null)
  const changes = changesOf(config, draft, fields) as EditSource
  const isChanged = Object.keys(changes).length > 0
  const problems = refusedIn(refusal)
  const save = async () => {
    setSaving(true)
    try {
      await toolApi.editSource(name, changes)
      await readSourcesAgain()
      toast(words.changedOne(name))
      onClose()
    } catch (error) {
      setRefusal(error)
      setSaving(false)
    }
  }
  const field = (key: Name, more: object) => (
    <EditField
      label={words.edit[key]}
      hint={words.editHint[key]}
      value={draft[key] ?? written(config[key])}
      onChange={(value) => setDraft((now) => ({ ...now, [key]: value }))}
      problem={problems[key]}
      {...more}
    />
  )
  return (
    <Dialog title={name} onClose={onClose} className="w-130">
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          if (isChanged && !isSaving) void save()
        }}
      >
        <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-4 pb-4">
          {field('description', {})}
          {field('grants', { isMono: true, rows: 2 })}
          {field('tools', { isMono: true, rows: 2 })}
          {field('timeout', { isNumber: true })}
        </div>
        <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3">
          {refusal instanceof Error && (
            <p role="alert" className="min-w-0 grow basis-60 text-small wrap-anywhere text-stop">
              {words.notDone(refusal.message)}
            </p>
          )}
          <Button look="main" type="submit" className="ms-auto" disabled={!isChanged || isSaving}>
            {words.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
