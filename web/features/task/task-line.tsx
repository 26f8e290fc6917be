import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Task } from '../../../src/contract/task.ts'
import { strings } from '../../strings/page.ts'
import { Signal } from '../../ui/signal.tsx'
import { aspectOf } from '../board/signal-of.ts'

const route = getRouteApi('/board')

/** Another task, named in a list; a click opens it. */
export function TaskLine({
  task,
  children,
}: {
  task: Pick<Task, 'id' | 'title' | 'status'>
  children?: ReactNode
}) {
  const navigate = route.useNavigate()
  return (
    <li className="group/line flex items-center rounded-control hover:bg-raise">
      <a
        href={`/board?task=${task.id}`}
        className="flex min-w-0 grow items-center gap-2 rounded-control px-1.5 py-1 max-sm:py-2"
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          void navigate({ to: '/board', search: (now) => ({ ...now, task: task.id }) })
        }}
      >
        <Signal aspect={aspectOf[task.status]} word={strings.status[task.status]} hidesWord />
        <bdi dir="auto" className={`truncate ${task.status === 'done' ? 'text-mute line-through' : ''}`}>
          {task.title}
        </bdi>
      </a>
      {children}
    </li>
  )
}
