import { useState } from 'react'
import type { Agent, EditAgent, PermissionPolicy } from '../../../src/contract/agent.ts'
import { queryClient } from '../../query-client.ts'
import { agentEditStrings as words } from '../../strings/agent-edit.ts'
import { agentStrings } from '../../strings/agent.ts'
import { Button } from '../../ui/button.tsx'
import { Pick } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { ModelPicker } from '../chat/model-picker.tsx'
import { agentApi } from './agent-api.ts'
import { EditField, Labelled } from './edit-field.tsx'
import {
  asFlag,
  asLines,
  asNumber,
  asNumberOrNothing,
  asText,
  asTextOrNothing,
  changesOf,
  written,
} from './edit-draft.ts'
import { refusedIn } from './refused-fields.ts'
import { SureButton } from './sure-button.tsx'

const fields = {
  name: asText,
  active: asFlag,
  model: asTextOrNothing,
  permissionPolicy: asText,
  workingDir: asTextOrNothing,
  maxConcurrent: asNumberOrNothing,
  maxBudgetUsd: asNumber,
  maxTurns: asNumber,
  memoryMb: asNumber,
  maxTokens: asNumberOrNothing,
  allowedTools: asLines,
}
type Name = keyof typeof fields
const policies = ['ask', 'reads', 'all', 'deny'] as const satisfies PermissionPolicy[]
const limits = ['maxBudgetUsd', 'maxTurns', 'maxTokens', 'maxConcurrent', 'memoryMb'] as const
const limitsOfCommands = ['maxConcurrent', 'memoryMb'] as const

/** What the owner decides of an agent. Only what was changed is sent. */
export function AgentSettings({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const [draft, setDraft] = useState<Partial<Record<Name, string>>>({})
  const [refusal, setRefusal] = useState<unknown>(null)
  const [isSaving, setSaving] = useState(false)
  const valueOf = (name: Name) => draft[name] ?? written(agent[name])
  const set = (name: Name) => (value: string) => setDraft((now) => ({ ...now, [name]: value }))
  const changes = changesOf(agent, draft, fields) as EditAgent
  const isChanged = Object.keys(changes).length > 0
  const problems = refusedIn(refusal)
  const isCommand = agent.adapter === 'template'

  const save = async () => {
    if (!isChanged || isSaving) return
    const sent = draft
    setSaving(true)
    setRefusal(null)
    try {
      const saved = await agentApi.edit(agent.id, changes)
      await queryClient.invalidateQueries({ queryKey: ['agents'] })
      // What was written meanwhile is not saved yet.
      setDraft((now) =>
        Object.fromEntries(Object.entries(now).filter(([name, text]) => text !== sent[name as Name])),
      )
      toast(words.saved(saved.name))
    } catch (error) {
      setRefusal(error)
    } finally {
      setSaving(false)
    }
  }
  const remove = async () => {
    try {
      await agentApi.remove(agent.id)
      toast(words.removed(agent.name))
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['agents'] })
    } catch (error) {
      setRefusal(error)
    }
  }
  const text = (name: Name, label: string, more: object = {}) => (
    <EditField label={label} value={valueOf(name)} onChange={set(name)} problem={problems[name]} {...more} />
  )
  return (
    <form
      className="flex min-h-0 grow flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <div className="flex min-h-0 grow flex-col gap-4 overflow-y-auto px-4 pb-4">
        <div className="grid gap-4 sm:grid-cols-2">
          {text('name', words.name)}
          <Labelled label={words.active} hint={words.activeHint}>
            <input
              type="checkbox"
              aria-label={words.active}
              className="size-4 accent-(--text)"
              checked={valueOf('active') === 'true'}
              onChange={(event) => set('active')(String(event.target.checked))}
            />
          </Labelled>
          {!isCommand && (
            <Labelled label={words.policy} problem={problems['permissionPolicy']}>
              <Pick
                value={valueOf('permissionPolicy') as PermissionPolicy}
                choices={policies}
                nameOf={(one) => agentStrings.policy[one]}
                onChoose={set('permissionPolicy')}
              />
            </Labelled>
          )}
          {agent.adapter === 'chat' ? (
            <Labelled label={words.model} problem={problems['model']}>
              <ModelPicker
                value={valueOf('model') || null}
                machineId={agent.machineId}
                onChoose={(model) => set('model')(model ?? '')}
              />
            </Labelled>
          ) : (
            !isCommand && text('model', words.model, { hint: words.modelHint, isMono: true })
          )}
        </div>
        {text('workingDir', words.workingDir, { hint: words.workingDirHint, isMono: true })}
        <fieldset>
          <legend className="mb-2 font-semibold">{words.limits}</legend>
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
            {(isCommand ? limitsOfCommands : limits).map((name) => (
              <EditField
                key={name}
                isNumber
                label={words[name]}
                value={valueOf(name)}
                onChange={set(name)}
                problem={problems[name]}
                placeholder={words.noLimit}
              />
            ))}
          </div>
        </fieldset>
        {!isCommand && text('allowedTools', words.tools, { hint: words.toolsHint, isMono: true, rows: 2 })}
        {agent.binaryPath && (
          <Labelled label={words.program}>
            <code dir="ltr" className="font-mono text-small wrap-anywhere text-soft">
              {[agent.binaryPath, ...agent.args].join(' ')}
            </code>
          </Labelled>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3">
        {!agent.builtin && (
          <SureButton ask={words.remove} sure={words.removeForGood} onSure={() => void remove()} />
        )}
        {refusal instanceof Error && (
          <p role="alert" className="min-w-0 grow basis-60 text-small wrap-anywhere text-stop">
            {words.notSaved(refusal.message)}
          </p>
        )}
        <Button look="main" type="submit" className="ms-auto" disabled={!isChanged || isSaving}>
          {isSaving ? words.saving : words.save}
        </Button>
      </div>
    </form>
  )
}
