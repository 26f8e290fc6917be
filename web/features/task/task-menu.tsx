import { Link2, MoreHorizontal, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Task } from '../../../src/contract/task.ts'
import { Refusal } from '../../api.ts'
import { roomApi } from '../../room-api.ts'
import { taskStrings } from '../../strings/task.ts'
import { strings } from '../../strings/page.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { MenuContent, MenuItem, MenuRoot, MenuTrigger } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import { useSubtasks } from './task-queries.ts'

export function TaskMenu({ task, onDeleted }: { task: Task; onDeleted: () => void }) {
  const [asks, setAsks] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(`${location.origin}/board?task=${task.id}`)
    toast(taskStrings.copied)
  }
  return (
    <>
      <MenuRoot>
        <MenuTrigger asChild>
          <IconButton label={taskStrings.more}>
            <MoreHorizontal size={16} aria-hidden />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          <MenuItem onSelect={() => void copy()}>
            <Link2 size={14} aria-hidden /> {taskStrings.copyLink}
          </MenuItem>
          <MenuItem onSelect={() => setAsks(true)}>
            <Trash2 size={14} aria-hidden /> {taskStrings.delete}
          </MenuItem>
        </MenuContent>
      </MenuRoot>
      {asks && <DeleteDialog task={task} onClose={() => setAsks(false)} onDeleted={onDeleted} />}
    </>
  )
}

/** Asks once. Subtasks that nobody knew of when it asked, it names before it asks again. */
function DeleteDialog({
  task,
  onClose,
  onDeleted,
}: {
  task: Task
  onClose: () => void
  onDeleted: () => void
}) {
  const known = useSubtasks(task.id).length > 0
  const [wasRefused, setRefused] = useState(false)
  const hasSubtasks = known || wasRefused
  const remove = async () => {
    try {
      await roomApi.remove(task.id, hasSubtasks)
      onClose()
      onDeleted()
      toast(taskStrings.deleted(task.title))
    } catch (error) {
      if (error instanceof Refusal && error.code === 'task_has_subtasks') setRefused(true)
      else toast(error instanceof Error ? error.message : '', { isProblem: true })
    }
  }
  return (
    <Dialog title={taskStrings.deleteHeading} onClose={onClose} className="w-105">
      <div className="flex flex-col gap-4 px-4 pb-4">
        <p dir="auto" className="wrap-anywhere text-soft">
          {taskStrings.deleteText(task.title)}
        </p>
        {hasSubtasks && (
          <p role="alert" className="text-stop">
            {taskStrings.deleteWithSubtasks}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button look="danger" onClick={() => void remove()}>
            {hasSubtasks ? taskStrings.deleteAll : taskStrings.deleteConfirm}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
