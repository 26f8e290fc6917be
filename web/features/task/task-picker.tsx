import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Popover } from 'radix-ui'
import { useDeferredValue, useState } from 'react'
import type { ReactNode } from 'react'
import type { Task } from '../../../src/contract/task.ts'
import { api } from '../../api.ts'
import { taskStrings } from '../../strings/task.ts'
import { strings } from '../../strings/page.ts'
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
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild aria-label={label}>
        {children}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          className="z-60 flex max-h-80 w-90 max-w-[calc(100vw-16px)] flex-col overflow-hidden rounded-control border border-edge bg-panel shadow-float"
        >
          <Search
            label={label}
            isOffered={isOffered}
            onPick={(task) => {
              setOpen(false)
              onPick(task)
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Search({ label, isOffered, onPick }: Omit<Props, 'children'>) {
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim().slice(0, 200))
  const { data, isFetching } = useQuery({
    queryKey: ['find', wanted],
    queryFn: ({ signal }) => api.tasks({ q: wanted, pageSize: 20 }, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
  const offered = (data?.data ?? []).filter(isOffered)
  return (
    <Command shouldFilter={false} loop label={label} className="flex min-h-0 flex-col">
      <Command.Input
        dir="auto"
        value={text}
        onValueChange={setText}
        placeholder={taskStrings.searchTasks}
        className="h-9 shrink-0 border-b border-line bg-transparent px-3 outline-none max-sm:text-[16px]"
      />
      <Command.List className="min-h-0 overflow-y-auto p-1">
        {offered.length === 0 && (
          <p className="px-2 py-1.5 text-mute">
            {isFetching ? strings.palette.searching : strings.palette.nothing}
          </p>
        )}
        {offered.map((task) => (
          <Command.Item
            key={task.id}
            value={task.id}
            className="flex items-center gap-2 rounded-small px-2 py-1.5 data-[selected=true]:bg-raise"
            onSelect={() => onPick(task)}
          >
            <Signal aspect={aspectOf[task.status]} word={strings.status[task.status]} hidesWord />
            <bdi dir="auto" className="truncate">
              {task.title}
            </bdi>
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  )
}
