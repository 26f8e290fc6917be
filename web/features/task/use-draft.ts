import { useEffect, useState } from 'react'
import type { Task } from '../../../src/contract/task.ts'
import { roomApi } from '../../room-api.ts'
import { isFinal } from '../../query-client.ts'
import { useStore } from '../../store.ts'
import { takeTask } from '../board/follow-board.ts'
import { keepDraft } from './draft-keeper.ts'
import type { DraftKeeper, DraftState } from './draft-keeper.ts'

type Field = 'title' | 'description'

const clean: Record<Field, (text: string) => string | null> = {
  title: (text) => text.replaceAll(/\s+/g, ' ').trim() || null,
  description: (text) => text,
}

/** One text of a task, saved as it is written: when the typing pauses, when the field is left, when the page goes. */
export function useDraft(task: Task, field: Field): DraftState & { keeper: DraftKeeper } {
  const [keeper] = useState(() =>
    keepDraft({
      place: `signalbox.draft.${task.id}.${field}`,
      storage: localStorage,
      value: task[field],
      clean: clean[field],
      isFinal,
      save: async (text, isLeaving) => takeTask(await roomApi.edit(task.id, { [field]: text }, isLeaving)),
    }),
  )
  useEffect(() => keeper.hear(task[field]), [keeper, task, field])
  useEffect(() => {
    const leave = () => keeper.flush(true)
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('pagehide', leave)
      keeper.flush()
    }
  }, [keeper])
  return { ...useStore(keeper.state), keeper }
}
