import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { strings } from '../../strings/page.ts'
import { createTask, showNewTask } from '../task/create-task.ts'

const focusOnce = (input: HTMLInputElement | null) => input?.focus()

/** One line at the foot of a column. It stays open after adding, for the next one. */
export function QuickAdd({ status, open }: { status: TaskStatus; open: (id: string) => void }) {
  const [title, setTitle] = useState<string | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const name = strings.status[status]

  if (title === null)
    return (
      <button
        ref={button}
        type="button"
        aria-label={strings.board.quickAdd(name)}
        className="mx-1 my-1 flex h-8 shrink-0 items-center gap-1.5 rounded-control px-2 text-mute hover:bg-raise hover:text-text max-sm:h-10"
        onClick={() => setTitle('')}
      >
        <Plus size={14} aria-hidden />
        {strings.board.newTask}
      </button>
    )

  const close = () => setTitle(null)
  const add = async () => {
    const wanted = title.trim()
    if (!wanted) return
    setTitle('')
    const task = await createTask({ title: wanted, status })
    if (task) await showNewTask(task, open, 'leaves focus')
    else setTitle((now) => now || wanted)
  }
  return (
    <form
      className="mx-1 my-1 shrink-0"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <input
        ref={focusOnce}
        dir="auto"
        value={title}
        maxLength={500}
        aria-label={strings.board.quickAdd(name)}
        placeholder={strings.board.quickAddHint}
        title={strings.board.quickAddKeys}
        className="h-8 w-full rounded-control border border-control bg-panel px-2 max-sm:h-10 max-sm:text-[16px]"
        onChange={(event) => setTitle(event.target.value)}
        onBlur={() => !title.trim() && close()}
        onKeyDown={(event) => event.key === 'Escape' && close()}
      />
    </form>
  )
}
