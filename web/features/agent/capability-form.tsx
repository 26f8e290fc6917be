import { useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Capability, CreateCapability, InteractionMode } from '../../../src/contract/capability.ts'
import { queryClient } from '../../query-client.ts'
import { agentEditStrings as words } from '../../strings/agent-edit.ts'
import { Button } from '../../ui/button.tsx'
import { Pick } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Problems } from '../approval/schema-content.ts'
import { DangerMark } from '../discovery/danger-mark.tsx'
import { agentApi } from './agent-api.ts'
import { EditField, Labelled } from './edit-field.tsx'
import { asLines, asNumber, asText, asTextOrNothing, changesOf, written } from './edit-draft.ts'
import { refusedIn } from './refused-fields.ts'
import { SureButton } from './sure-button.tsx'

const fields = {
  key: asText,
  label: asText,
  interactionMode: asText,
  commandTokens: asLines,
  promptTemplate: asTextOrNothing,
  dangerLevel: asNumber,
  timeoutSec: asNumber,
  maxOutputBytes: asNumber,
  argsSchema: (text: string): unknown => JSON.parse(text),
}
type Name = keyof typeof fields

const fresh = {
  key: '',
  label: '',
  commandTokens: null,
  promptTemplate: null,
  argsSchema: { type: 'object', properties: {} },
  dangerLevel: 0,
  timeoutSec: 300,
  maxOutputBytes: 10_485_760,
}

interface Props {
  agent: Agent
  /** Null for a new one. */
  capability: Capability | null
  onDone: () => void
}

/** One thing that an agent can be asked for, as its owner writes it. */
export function CapabilityForm({ agent, capability, onDone }: Props) {
  const first: InteractionMode = agent.adapter === 'template' ? 'template' : 'prompt'
  const before = capability ?? { ...fresh, interactionMode: first }
  const [draft, setDraft] = useState<Partial<Record<Name, string>>>({})
  const [refusal, setRefusal] = useState<unknown>(null)
  const [isSaving, setSaving] = useState(false)
  const valueOf = (name: Name) => draft[name] ?? written(before[name])
  const set = (name: Name) => (value: string) => setDraft((now) => ({ ...now, [name]: value }))
  const schemaFault = faultInJson(valueOf('argsSchema'))
  const problems: Problems = {
    ...refusedIn(refusal),
    ...(schemaFault && { argsSchema: words.notJson(schemaFault) }),
  }
  const mode = valueOf('interactionMode') as InteractionMode
  const level = Number(valueOf('dangerLevel'))
  const isNew = capability === null
  const isReady = !isSaving && !schemaFault && Object.keys(draft).length > 0 && valueOf('key').trim() !== ''

  const after = async (work: () => Promise<unknown>, done: string) => {
    setSaving(true)
    setRefusal(null)
    try {
      await work()
      await queryClient.invalidateQueries({ queryKey: ['capabilities', agent.id] })
      toast(done)
      onDone()
    } catch (error) {
      setRefusal(error)
      setSaving(false)
    }
  }
  const save = () => {
    const changes = changesOf(before, draft, fields)
    const label = valueOf('label') || valueOf('key')
    const work = isNew
      ? () => agentApi.addCapability(agent.id, { interactionMode: mode, ...changes } as CreateCapability)
      : () => agentApi.editCapability(agent.id, capability.id, changes)
    return after(work, words.saved(label))
  }
  const text = (name: Name, label: string, more: object = {}) => (
    <EditField label={label} value={valueOf(name)} onChange={set(name)} problem={problems[name]} {...more} />
  )
  return (
    <form
      data-capability-form={capability?.key ?? ''}
      className="flex min-h-0 grow flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void save()
      }}
    >
      <div className="flex min-h-0 grow flex-col gap-4 overflow-y-auto px-4 pb-4">
        <div className="flex items-center gap-3">
          <Button onClick={onDone}>{words.back}</Button>
          {isNew && <h3 className="font-semibold">{words.newOne}</h3>}
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          {text('label', words.label)}
          {text('key', words.key, {
            isMono: true,
            hint: isNew ? words.keyHint : undefined,
            isDisabled: !isNew,
          })}
          {isNew && agent.adapter !== 'chat' && (
            <Labelled label={words.modeLabel}>
              <Pick
                value={mode}
                choices={['template', 'prompt'] as const}
                nameOf={(one) => words.mode[one]}
                onChoose={set('interactionMode')}
              />
            </Labelled>
          )}
          <Labelled label={words.danger} problem={problems['dangerLevel']}>
            <span className="flex items-center gap-3">
              <Pick
                value={String(level)}
                choices={['0', '1', '2', '3']}
                nameOf={(one) => words.dangers[Number(one)] ?? ''}
                onChoose={set('dangerLevel')}
              />
              <DangerMark level={level} hidesWord />
            </span>
          </Labelled>
          {text('timeoutSec', words.timeoutSec, { isNumber: true })}
          {text('maxOutputBytes', words.maxOutputBytes, { isNumber: true })}
        </div>
        {mode === 'template' &&
          text('commandTokens', words.tokens, { isMono: true, rows: 3, hint: words.tokensHint })}
        {mode === 'prompt' && text('promptTemplate', words.prompt, { rows: 3, hint: words.promptHint })}
        {text('argsSchema', words.schema, { isMono: true, rows: 6 })}
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3">
        {capability && (
          <SureButton
            ask={words.removeOne}
            sure={words.removeOneForGood}
            onSure={() =>
              void after(
                () => agentApi.removeCapability(agent.id, capability.id),
                words.removed(capability.label),
              )
            }
          />
        )}
        {refusal instanceof Error && (
          <p role="alert" className="min-w-0 grow basis-60 text-small wrap-anywhere text-stop">
            {words.notSaved(refusal.message)}
          </p>
        )}
        <Button look="main" type="submit" className="ms-auto" disabled={!isReady}>
          {isSaving ? words.saving : words.save}
        </Button>
      </div>
    </form>
  )
}

function faultInJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'it is no object'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
