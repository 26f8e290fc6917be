import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Task, TaskStatus } from '../../../src/contract/task.ts'
import { api } from '../../api.ts'
import { roomApi } from '../../room-api.ts'
import { taskStrings } from '../../strings/task.ts'
import { strings } from '../../strings/page.ts'
import { Choices } from '../../ui/menu.tsx'
import { priorities, PriorityMark } from '../../ui/priority.tsx'
import { Signal } from '../../ui/signal.tsx'
import { boardNow } from '../board/board-view.ts'
import { find, statuses } from '../board/board.ts'
import { submit } from '../board/changes.ts'
import { mayGo, moveCard } from '../board/move-card.ts'
import { aspectOf } from '../board/signal-of.ts'
import { ParentChoice } from './parent-choice.tsx'
import { PlaceChoice } from './place-choice.tsx'

type Change = Partial<Pick<Task, 'status' | 'priority' | 'assigneeAgentId' | 'workspaceId' | 'parentTaskId'>>

export const valueLook =
  'flex h-7 min-w-0 items-center gap-2 rounded-control px-2 text-start hover:bg-raise disabled:text-mute max-sm:h-9'

export function Properties({ task }: { task: Task }) {
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) }).data ?? []
  const agent = agents.find(({ id }) => id === task.assigneeAgentId)
  const edit = (change: Change) => void submit(task, change, () => roomApi.edit(task.id, change))
  const move = (status: TaskStatus) => {
    if (find(boardNow(), task.id)) void moveCard(boardNow(), task.id, status, 0)
    else edit({ status })
  }
  return (
    <dl className="grid grid-cols-[88px_1fr] items-center gap-y-0.5 px-2">
      <Property name={taskStrings.status}>
        <Choices
          label={taskStrings.status}
          value={task.status}
          choices={statuses
            .filter((to) => mayGo(task.status, to))
            .map((value) => ({
              value,
              label: <Signal aspect={aspectOf[value]} word={strings.status[value]} />,
            }))}
          onChoose={move}
        >
          <button type="button" className={valueLook}>
            <Signal aspect={aspectOf[task.status]} word={strings.status[task.status]} />
          </button>
        </Choices>
      </Property>
      <Property name={taskStrings.priority}>
        <Choices
          label={taskStrings.priority}
          value={task.priority}
          choices={priorities.toReversed().map((value) => ({
            value,
            label: (
              <>
                <PriorityMark priority={value} /> {strings.priority[value]}
              </>
            ),
          }))}
          onChoose={(priority) => edit({ priority })}
        >
          <button type="button" className={valueLook}>
            <PriorityMark priority={task.priority} isNamed /> {strings.priority[task.priority]}
          </button>
        </Choices>
      </Property>
      <Property name={strings.task.assignee}>
        <Choices
          label={strings.task.assignee}
          value={task.assigneeAgentId ?? ''}
          choices={[
            { value: '', label: taskStrings.noAssignee },
            ...agents.map(({ id, name }) => ({ value: id, label: <bdi dir="auto">{name}</bdi> })),
          ]}
          onChoose={(id) => edit({ assigneeAgentId: id || null })}
        >
          <button type="button" className={valueLook} disabled={agents.length === 0}>
            <bdi dir="auto" className="truncate">
              {agent?.name ?? (agents.length === 0 ? taskStrings.noAgents : taskStrings.noAssignee)}
            </bdi>
          </button>
        </Choices>
      </Property>
      <Property name={taskStrings.place}>
        <PlaceChoice task={task} onChoose={(workspaceId) => edit({ workspaceId })} />
      </Property>
      <Property name={taskStrings.parent}>
        <ParentChoice task={task} onChoose={(parentTaskId) => edit({ parentTaskId })} />
      </Property>
    </dl>
  )
}

function Property({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-small text-mute">{name}</dt>
      <dd className="flex min-w-0 items-center">{children}</dd>
    </>
  )
}
