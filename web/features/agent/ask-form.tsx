import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, X } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Task } from '../../../src/contract/task.ts'
import { roomApi } from '../../room-api.ts'
import { askStrings } from '../../strings/ask.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Choices } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import { DangerDialog, DangerText, isDangerous } from '../approval/danger-dialog.tsx'
import { SchemaFieldRow } from '../approval/schema-field-row.tsx'
import { isFilled, problemsIn, schemaContent } from '../approval/schema-content.ts'
import { schemaFields } from '../approval/schema-fields.ts'
import type { Values } from '../approval/schema-fields.ts'
import { DangerMark } from '../discovery/danger-mark.tsx'
import { takeExecution } from '../session/executions-cache.ts'
import { closeWindow } from '../shell/windows.tsx'
import { TaskPicker } from '../task/task-picker.tsx'
import { visibleText } from '../approval/visible-text.ts'
import type { Askable } from './askable.ts'
import { noPlace, RunPlace, workspaceAt } from './run-place.tsx'

interface Props {
  askable: Askable[]
  first: Askable | undefined
  task: Pick<Task, 'id' | 'title'> | undefined
}

export function AskForm({ askable, first, task: given }: Props) {
  const words = askStrings
  const form = useRef<HTMLFormElement>(null)
  const navigate = useNavigate()
  const [agentId, setAgentId] = useState(first?.agent.id ?? '')
  const [capabilityId, setCapabilityId] = useState(first?.prompts[0]?.id ?? '')
  const [prompt, setPrompt] = useState('')
  const [task, setTask] = useState(given)
  const [place, setPlace] = useState(noPlace)
  const [values, setValues] = useState<Values>({})
  const [isAsking, setAsking] = useState(false)
  const [isStarting, setStarting] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const chosen = askable.find(({ agent }) => agent.id === agentId)
  const capability = chosen?.prompts.find(({ id }) => id === capabilityId) ?? chosen?.prompts[0]
  const fields = schemaFields(capability?.argsSchema ?? {})
  const content = schemaContent(fields, values)
  const { problems, fits } = problemsIn(capability?.argsSchema ?? {}, fields, values)
  // What is said is said in its template, which has no place for more.
  const takesPrompt = !capability?.promptTemplate || /\{\{prompt\}\}/.test(capability.promptTemplate)
  const isReady =
    capability && (!takesPrompt || prompt.trim() || task) && fits && isFilled(fields, values) && !isStarting

  const danger = capability?.dangerLevel ?? 0

  const start = async (confirm: boolean) => {
    if (!capability) return
    setStarting(true)
    setProblem(null)
    try {
      const workspaceId = await workspaceAt(place, chosen?.agent.machineId ?? null)
      const execution = await roomApi.start({
        capabilityId: capability.id,
        args: content,
        ...(workspaceId && { workspaceId }),
        ...(takesPrompt && prompt.trim() && { prompt }),
        ...(task && { taskId: task.id }),
        ...(confirm && { confirm }),
      })
      takeExecution(execution)
      closeWindow()
      const open = () => navigate({ to: '/sessions/$id', params: { id: execution.sessionId } })
      // Whoever starts an agent from the board stays there: the card tells how it goes.
      if (given)
        toast(words.started(execution.agentName), { action: { label: words.open, run: () => void open() } })
      else await open()
    } catch (error) {
      setProblem(words.notStarted(error instanceof Error ? error.message : String(error)))
      setStarting(false)
    }
  }
  return (
    <form
      ref={form}
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady) return
        if (isDangerous(danger)) setAsking(true)
        else void start(false)
      }}
    >
      <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 pb-3">
        {takesPrompt ? (
          <textarea
            dir="auto"
            rows={5}
            value={prompt}
            maxLength={1_000_000}
            aria-label={words.prompt}
            placeholder={task ? words.promptHintTask : words.promptHint}
            className="max-h-[40dvh] min-h-28 shrink-0 resize-none bg-transparent field-sizing-content outline-none max-sm:text-[16px]"
            onChange={(event) => setPrompt(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) form.current?.requestSubmit()
            }}
          />
        ) : (
          <p dir="auto" className="max-h-40 overflow-y-auto wrap-anywhere whitespace-pre-wrap text-soft">
            {visibleText(capability?.promptTemplate ?? '')}
          </p>
        )}
        {fields.map((field) => (
          <SchemaFieldRow
            key={field.name}
            field={field}
            value={field.name in values ? values[field.name] : field.start}
            onChange={(value) => setValues((now) => ({ ...now, [field.name]: value }))}
            isDisabled={isStarting}
            problems={problems}
          />
        ))}
        {problem && (
          <p role="alert" className="wrap-anywhere text-stop">
            {problem}
          </p>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3">
        <Choices
          label={words.agent}
          value={agentId}
          choices={askable.map(({ agent }) => ({ value: agent.id, label: <bdi>{agent.name}</bdi> }))}
          onChoose={setAgentId}
        >
          <Button>
            <bdi>{chosen?.agent.name}</bdi>
            <ChevronDown size={14} className="text-mute" aria-hidden />
          </Button>
        </Choices>
        {chosen && chosen.prompts.length > 1 && (
          <Choices
            label={words.what}
            value={capability?.id ?? ''}
            choices={chosen.prompts.map(({ id, label }) => ({ value: id, label: <bdi>{label}</bdi> }))}
            onChoose={setCapabilityId}
          >
            <Button>
              <bdi>{capability?.label}</bdi>
              <ChevronDown size={14} className="text-mute" aria-hidden />
            </Button>
          </Choices>
        )}
        {chosen && (
          <RunPlace
            machineId={chosen.agent.machineId}
            usual={chosen.agent.workingDir}
            value={place}
            onChange={setPlace}
          />
        )}
        {task && (
          <span className="flex min-w-0 items-center gap-1 text-soft">
            <bdi className="max-w-50 truncate">{task.title}</bdi>
            {!given && (
              <IconButton label={words.removeTask} onClick={() => setTask(undefined)}>
                <X size={14} aria-hidden />
              </IconButton>
            )}
          </span>
        )}
        {!task && (
          <TaskPicker label={words.pickTask} isOffered={() => true} onPick={setTask}>
            <Button look="quiet">{words.pickTask}</Button>
          </TaskPicker>
        )}
        <span className="ms-auto flex items-center gap-3 text-small">
          {danger >= 1 && <DangerMark level={danger} />}
          <Button look="main" type="submit" disabled={!isReady} className="text-base">
            {isStarting ? words.starting : isDangerous(danger) ? words.submitDangerous : words.submit}
            <Kbd keys="mod ↵" className="text-current! max-sm:hidden" />
          </Button>
        </span>
      </div>
      {isAsking && capability && (
        <DangerDialog
          level={danger}
          name={capability.key}
          onGo={() => void start(true)}
          onAsk={() => void start(false)}
          onClose={() => setAsking(false)}
        >
          <DangerText>
            {`${chosen?.agent.name ?? ''}: ${capability.label}\n\n${takesPrompt ? prompt || (task?.title ?? '') : capability.promptTemplate}\n${argsText(content)}`.trim()}
          </DangerText>
        </DangerDialog>
      )}
    </form>
  )
}

const argsText = (args: object): string =>
  Object.keys(args).length > 0 ? `\n${JSON.stringify(args, null, 2)}` : ''
