import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import type { ReactNode } from 'react'
import type { Task } from '../../../src/contract/task.ts'
import { api } from '../../api.ts'
import { taskStrings } from '../../strings/task.ts'
import { strings } from '../../strings/page.ts'
import { Finder, FinderNote, FinderRow } from '../../ui/finder.tsx'
import { Signal } from '../../ui/signal.tsx'
import { aspectOf } from '../board/signal-of.ts'

interface Props {
  label: string
  isOffered: (task: Task) => boolean
  onPick: (task: Task) => void
  /** The button that opens it. */
  children: ReactNode
}

/** Finds one task by its text. */
export function TaskPicker({ label, isOffered, onPick, children }: Props) {
  return (
    <Finder
      label={label}
      placeholder={taskStrings.searchTasks}
      renderRows={(text, choose) => (
        <Tasks text={text} isOffered={isOffered} onPick={(task) => choose(() => onPick(task))} />
      )}
    >
      {children}
    </Finder>
  )
}

function Tasks({ text, isOffered, onPick }: Pick<Props, 'isOffered' | 'onPick'> & { text: string }) {
  const wanted = useDeferredValue(text.trim())
  const { data, isFetching } = useQuery({
    queryKey: ['find', wanted],
    queryFn: ({ signal }) => api.tasks({ q: wanted, pageSize: 20 }, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
  const offered = (data?.data ?? []).filter(isOffered)
  if (offered.length === 0)
    return <FinderNote>{isFetching ? strings.palette.searching : strings.palette.nothing}</FinderNote>
  return offered.map((task) => (
    <FinderRow key={task.id} value={task.id} onSelect={() => onPick(task)}>
      <Signal aspect={aspectOf[task.status]} word={strings.status[task.status]} hidesWord />
      <bdi dir="auto" className="truncate">
        {task.title}
      </bdi>
    </FinderRow>
  ))
}
