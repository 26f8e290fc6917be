import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Keyboard, MessageSquare, Monitor, Moon, Play, Plus, Sun } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import type { ReactNode } from 'react'
import { api } from '../../api.ts'
import { chatStrings } from '../../strings/chat.ts'
import { askStrings } from '../../strings/ask.ts'
import { strings } from '../../strings/page.ts'
import { chooseTheme } from '../../theme.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Signal } from '../../ui/signal.tsx'
import { aspectOf } from '../board/signal-of.ts'
import { rooms } from './rooms.ts'
import { closeWindow, openWindow } from './windows.tsx'

interface Action {
  name: string
  icon: ReactNode
  keys?: string
  run: () => void
}

const row = 'flex items-center gap-2.5 rounded-control px-2.5 py-2 data-[selected=true]:bg-raise'
const groupLook =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-small [&_[cmdk-group-heading]]:text-mute'

const andClose = (act: () => void) => () => {
  closeWindow()
  act()
}

export default function Palette() {
  const [text, setText] = useState('')
  const [choice, setChoice] = useState({ first: '', value: '' })
  const navigate = useNavigate()
  const wanted = useDeferredValue(text.trim())
  const found = useQuery({
    queryKey: ['find', wanted],
    queryFn: ({ signal }) => api.tasks({ q: wanted.slice(0, 200), pageSize: 12 }, signal),
    enabled: wanted !== '',
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
  const actions: Action[] = [
    { name: strings.palette.newTask, icon: <Plus />, keys: 'N', run: () => openWindow({ name: 'newTask' }) },
    ...rooms.map(({ to, name, Icon, letter }) => ({
      name: strings.palette.go(name),
      icon: <Icon />,
      keys: `G ${letter.toUpperCase()}`,
      run: () => void navigate({ to }),
    })),
    {
      name: chatStrings.newChat,
      icon: <MessageSquare />,
      keys: 'C',
      run: () => openWindow({ name: 'newChat' }),
    },
    { name: askStrings.heading, icon: <Play />, run: () => openWindow({ name: 'ask' }) },
    { name: strings.themeAction.dark, icon: <Moon />, run: () => chooseTheme('dark') },
    { name: strings.themeAction.light, icon: <Sun />, run: () => chooseTheme('light') },
    { name: strings.themeAction.system, icon: <Monitor />, run: () => chooseTheme('system') },
    { name: strings.palette.keys, icon: <Keyboard />, keys: '?', run: () => openWindow({ name: 'keys' }) },
  ]
  const fitting = actions.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
  const tasks = wanted ? (found.data?.data ?? []) : []
  const first = tasks[0]?.id ?? fitting[0]?.name ?? 'create'
  // Results arrive after a choice was made for the person: when another one comes first, it is chosen.
  const chosen = choice.first === first ? choice.value : first
  return (
    <Dialog title={strings.palette.open} hidesTitle onClose={closeWindow} className="w-150">
      <Command
        shouldFilter={false}
        loop
        value={chosen}
        onValueChange={(value) => setChoice({ first, value })}
        label={strings.palette.open}
        className="flex min-h-0 flex-col"
      >
        <Command.Input
          dir="auto"
          value={text}
          onValueChange={setText}
          placeholder={strings.palette.placeholder}
          className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-large outline-none"
        />
        <Command.List className="min-h-0 overflow-y-auto p-1.5">
          {tasks.length > 0 && (
            <Command.Group heading={strings.palette.tasks} className={groupLook}>
              {tasks.map((task) => (
                <Command.Item
                  key={task.id}
                  value={task.id}
                  className={row}
                  onSelect={andClose(() => void navigate({ to: '/board', search: { task: task.id } }))}
                >
                  <Signal aspect={aspectOf[task.status]} word={strings.status[task.status]} hidesWord />
                  <bdi dir="auto" className="min-w-0 truncate">
                    {task.title}
                  </bdi>
                  <span className="ms-auto shrink-0 text-small text-mute" aria-hidden>
                    {strings.status[task.status]}
                  </span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          <Command.Group heading={strings.palette.actions} className={groupLook}>
            {fitting.map(({ name, icon, keys, run }) => (
              <Command.Item key={name} value={name} className={row} onSelect={andClose(run)}>
                <span className="text-mute [&_svg]:size-4" aria-hidden>
                  {icon}
                </span>
                {name}
                {keys && <Kbd keys={keys} className="ms-auto" />}
              </Command.Item>
            ))}
            {wanted && (
              <Command.Item
                value="create"
                className={row}
                onSelect={andClose(() => openWindow({ name: 'newTask', start: { title: wanted } }))}
              >
                <Plus className="size-4 text-mute" aria-hidden />
                <bdi dir="auto" className="min-w-0 truncate">
                  {strings.palette.newTaskCalled(wanted)}
                </bdi>
              </Command.Item>
            )}
          </Command.Group>
        </Command.List>
      </Command>
    </Dialog>
  )
}
