import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import type { CreateTask, TaskPriority, TaskStatus } from '../../../src/contract/task.ts'
import { api } from '../../api.ts'
import { taskStrings } from '../../strings/task.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Choices } from '../../ui/menu.tsx'
import { priorities, PriorityMark } from '../../ui/priority.tsx'
import { Signal } from '../../ui/signal.tsx'
import { statuses } from '../board/board.ts'
import { aspectOf } from '../board/signal-of.ts'
import { closeWindow } from '../shell/windows.tsx'
import { createTask, showNewTask } from './create-task.ts'

export default function NewTask({ start }: { start: Partial<CreateTask> }) {
  const form = useRef<HTMLFormElement>(null)
  const navigate = useNavigate()
  const [title, setTitle] = useState(start.title ?? '')
  const [description, setDescription] = useState('')
  const [status, setStatus] = useState<TaskStatus>(start.status ?? 'todo')
  const [priority, setPriority] = useState<TaskPriority>('medium')
  const [assignee, setAssignee] = useState('')
  const [isSending, setSending] = useState(false)
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) }).data ?? []

  const create = async () => {
    if (!title.trim() || isSending) return
    setSending(true)
    const wanted = { title: title.trim(), description, status, priority, assigneeAgentId: assignee || null }
    const task = await createTask(wanted)
    setSending(false)
    if (!task) return
    closeWindow()
    const open = (id: string) => void navigate({ to: '/board', search: { task: id } })
    await showNewTask(task, open, 'takes focus')
  }
  const sends = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    form.current?.requestSubmit()
  }
  return (
    <Dialog title={taskStrings.newHeading} onClose={closeWindow} className="w-150">
      <form
        ref={form}
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <input
          required
          dir="auto"
          value={title}
          maxLength={500}
          aria-label={taskStrings.title}
          placeholder={taskStrings.titleHint}
          className="bg-transparent px-4 py-1 text-title font-semibold outline-none"
          onChange={(event) => setTitle(event.target.value)}
          onKeyDown={sends}
        />
        <textarea
          dir="auto"
          rows={5}
          value={description}
          maxLength={100_000}
          aria-label={taskStrings.description}
          placeholder={taskStrings.descriptionHint}
          className="min-h-24 resize-none bg-transparent px-4 py-1 field-sizing-content outline-none max-sm:text-[16px]"
          onChange={(event) => setDescription(event.target.value)}
          onKeyDown={sends}
        />
        <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3">
          <Choices
            label={taskStrings.status}
            value={status}
            choices={statuses.map((value) => ({
              value,
              label: <Signal aspect={aspectOf[value]} word={strings.status[value]} />,
            }))}
            onChoose={setStatus}
          >
            <Button>
              <Signal aspect={aspectOf[status]} word={strings.status[status]} />
            </Button>
          </Choices>
          <Choices
            label={taskStrings.priority}
            value={priority}
            choices={priorities.toReversed().map((value) => ({ value, label: strings.priority[value] }))}
            onChoose={setPriority}
          >
            <Button>
              <PriorityMark priority={priority} /> {strings.priority[priority]}
            </Button>
          </Choices>
          {agents.length > 0 && (
            <Choices
              label={strings.task.assignee}
              value={assignee}
              choices={[
                { value: '', label: taskStrings.noAssignee },
                ...agents.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChoose={setAssignee}
            >
              <Button>
                <bdi dir="auto">
                  {agents.find(({ id }) => id === assignee)?.name ?? taskStrings.noAssignee}
                </bdi>
                <ChevronDown size={14} className="text-mute" aria-hidden />
              </Button>
            </Choices>
          )}
          <Button look="main" type="submit" className="ms-auto" disabled={isSending || !title.trim()}>
            {isSending ? taskStrings.creating : taskStrings.create}
            <Kbd keys="mod ↵" className="text-current! max-sm:hidden" />
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
