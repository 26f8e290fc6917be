import { useState } from 'react'
import type { Task } from '../../../src/contract/task.ts'
import { taskStrings } from '../../strings/task.ts'
import { createTask } from './create-task.ts'
import { Section } from './section.tsx'
import { TaskLine } from './task-line.tsx'
import { useSubtasks } from './task-queries.ts'

export function Subtasks({ task }: { task: Task }) {
  const subtasks = useSubtasks(task.id)
  const [title, setTitle] = useState('')
  const add = async () => {
    const wanted = title.trim()
    if (!wanted) return
    setTitle('')
    if (!(await createTask({ title: wanted, parentTaskId: task.id }))) setTitle((now) => now || wanted)
  }
  return (
    <Section title={taskStrings.subtasks} count={subtasks.length}>
      <ul className="-mx-1.5">
        {subtasks.map((subtask) => (
          <TaskLine key={subtask.id} task={subtask} />
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void add()
        }}
      >
        <input
          dir="auto"
          value={title}
          maxLength={500}
          aria-label={taskStrings.addSubtask}
          placeholder={taskStrings.addSubtask}
          className="-mx-1.5 h-7 w-[calc(100%+12px)] rounded-control border border-transparent bg-transparent px-1.5 hover:border-line focus:border-control focus:outline-none max-sm:h-9 max-sm:text-[16px]"
          onChange={(event) => setTitle(event.target.value)}
        />
      </form>
    </Section>
  )
}
