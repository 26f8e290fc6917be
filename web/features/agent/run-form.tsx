import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Capability } from '../../../src/contract/capability.ts'
import { discoveryStrings } from '../../strings/discovery.ts'
import { roomApi } from '../../room-api.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { DangerDialog, DangerText, isDangerous } from '../approval/danger-dialog.tsx'
import { isFilled, problemsIn, schemaContent } from '../approval/schema-content.ts'
import { schemaFields } from '../approval/schema-fields.ts'
import type { Values } from '../approval/schema-fields.ts'
import { DangerMark } from '../discovery/danger-mark.tsx'
import { takeExecution } from '../session/executions-cache.ts'
import { CapabilityPicker } from './capability-picker.tsx'
import { CommandPreview } from './command-preview.tsx'
import { commandLine, quoted } from './command-line.ts'
import { refusedFields } from './refused-fields.ts'
import { RunFields } from './run-fields.tsx'
import { noPlace, RunPlace, workspaceAt } from './run-place.tsx'

const words = discoveryStrings.run

interface Props {
  agent: Agent
  commands: Capability[]
  onClose: () => void
}

export function RunForm({ agent, commands, onClose }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const navigate = useNavigate()
  useEffect(() => {
    const element = form.current
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) element?.requestSubmit()
    }
    element?.addEventListener('keydown', press)
    return () => element?.removeEventListener('keydown', press)
  }, [])
  const [capability, setCapability] = useState(commands[0]!)
  // By capability: whoever looks at another one finds the first as it was left.
  const [filled, setFilled] = useState<Record<string, Values>>({})
  const [place, setPlace] = useState(noPlace)
  const [isAsking, setAsking] = useState(false)
  const [isStarting, setStarting] = useState(false)
  const [refusal, setRefusal] = useState<Error | null>(null)
  const own = useMemo(() => schemaFields(capability.argsSchema), [capability])
  const fields = useMemo(() => [...promptOf(capability), ...own], [capability, own])
  const values = filled[capability.id] ?? {}
  const { [promptName]: prompt, ...args } = schemaContent(fields, values)
  const line = commandLine(agent, capability, { ...args, prompt })
  const { problems, fits } = problemsIn(capability.argsSchema, own, values)
  const isReady = !isStarting && fits && isFilled(fields, values) && !line.some(({ isMissing }) => isMissing)

  const start = async (confirm: boolean) => {
    setStarting(true)
    setRefusal(null)
    try {
      const workspaceId = await workspaceAt(place, agent.machineId)
      const execution = await roomApi.start({
        capabilityId: capability.id,
        args,
        ...(typeof prompt === 'string' && { prompt }),
        ...(workspaceId && { workspaceId }),
        ...(confirm && { confirm }),
      })
      takeExecution(execution)
      onClose()
      await navigate({ to: '/sessions/$id', params: { id: execution.sessionId } })
    } catch (error) {
      setRefusal(error instanceof Error ? error : new Error(String(error)))
      setStarting(false)
    }
  }
  return (
    <form
      ref={form}
      data-run={capability.key}
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady) return
        if (isDangerous(capability.dangerLevel)) setAsking(true)
        else void start(false)
      }}
    >
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-4 pb-4">
        {agent.missingSince && <p className="text-stop">{words.gone}</p>}
        <CapabilityPicker
          capabilities={commands}
          value={capability}
          onChoose={(chosen) => {
            setCapability(chosen)
            setRefusal(null)
          }}
        />
        <RunFields
          key={capability.id}
          fields={fields}
          values={values}
          isDisabled={isStarting}
          problems={{ ...refusedFields(refusal), ...problems }}
          onChange={(name, value) => {
            setRefusal(null)
            setFilled((now) => ({ ...now, [capability.id]: { ...now[capability.id], [name]: value } }))
          }}
        />
      </div>
      <div className="flex flex-col gap-3 border-t border-line px-4 py-3">
        <CommandPreview line={line} />
        {refusal && (
          <p role="alert" className="wrap-anywhere text-stop">
            {words.notStarted(refusal.message)}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <RunPlace machineId={agent.machineId} usual={agent.workingDir} value={place} onChange={setPlace} />
          {capability.dangerLevel >= 1 && (
            <span className="ms-auto text-small">
              <DangerMark level={capability.dangerLevel} />
            </span>
          )}
          <Button
            look="main"
            type="submit"
            className={capability.dangerLevel >= 1 ? '' : 'ms-auto'}
            disabled={!isReady}
          >
            {isStarting
              ? words.starting
              : isDangerous(capability.dangerLevel)
                ? words.submitDangerous
                : words.submit}
            <Kbd keys="mod ↵" className="text-current! max-sm:hidden" />
          </Button>
        </div>
      </div>
      {isAsking && (
        <DangerDialog
          level={capability.dangerLevel}
          name={capability.key}
          onGo={() => void start(true)}
          onAsk={() => void start(false)}
          onClose={() => setAsking(false)}
        >
          <DangerText>{line.map(({ text }) => quoted(text)).join(' ')}</DangerText>
        </DangerDialog>
      )}
    </form>
  )
}

/** No argument is called so: a name of one has no space. */
const promptName = 'the prompt'

/** A field for the prompt, where it takes one. */
function promptOf({ commandTokens }: Capability) {
  if (!commandTokens?.some((token) => /\{\{prompt(\.\.\.)?\}\}/.test(token))) return []
  return schemaFields({
    properties: { [promptName]: { type: 'string', title: words.prompt, maxLength: 1_000_000 } },
    required: [promptName],
  })
}
