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
import { SchemaFieldRow } from '../approval/schema-field-row.tsx'
import { isFilled, schemaContent, schemaFields } from '../approval/schema-fields.ts'
import type { Values } from '../approval/schema-fields.ts'
import { takeExecution } from '../session/executions-cache.ts'
import { closeWindow } from '../shell/windows.tsx'
import { TaskPicker } from '../task/task-picker.tsx'
import type { Askable } from './askable.ts'

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
  const [values, setValues] = useState<Values>({})
  const [isSure, setSure] = useState(false)
  const [isStarting, setStarting] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const chosen = askable.find(({ agent }) => agent.id === agentId)
  const capability = chosen?.prompts.find(({ id }) => id === capabilityId) ?? chosen?.prompts[0]
  const isDangerous = (capability?.dangerLevel ?? 0) >= 2
  const fields = schemaFields(capability?.argsSchema ?? {})
  const isReady = capability && (prompt.trim() || task) && isFilled(fields, values) && !isStarting

  const start = async () => {
    if (!isReady) return
    setStarting(true)
    setProblem(null)
    try {
      const execution = await roomApi.start({
        capabilityId: capability.id,
        args: schemaContent(fields, values),
        ...(prompt.trim() && { prompt }),
        ...(task && { taskId: task.id }),
        ...(isDangerous && isSure && { confirm: true }),
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
        void start()
      }}
    >
      <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 pb-3">
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
        {fields.map((field) => (
          <SchemaFieldRow
            key={field.name}
            field={field}
            value={field.name in values ? values[field.name] : field.start}
            onChange={(value) => setValues((now) => ({ ...now, [field.name]: value }))}
            isDisabled={isStarting}
          />
        ))}
        {isDangerous && (
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              className="size-4 accent-(--text)"
              checked={isSure}
              onChange={(event) => setSure(event.target.checked)}
            />
            {words.confirm}
          </label>
        )}
        {isDangerous && !isSure && <p className="text-stop">{words.dangerous}</p>}
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
        <Button look="main" type="submit" className="ms-auto" disabled={!isReady}>
          {isStarting ? words.starting : words.submit}
          <Kbd keys="mod ↵" className="text-current! max-sm:hidden" />
        </Button>
      </div>
    </form>
  )
}
