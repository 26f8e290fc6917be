import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Bot, Boxes, Plus, TrainTrack, Wrench } from 'lucide-react'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { strings } from '../../strings/page.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Signal } from '../../ui/signal.tsx'
import { aspectOf } from '../board/signal-of.ts'
import { bestFitting } from './best-fitting.ts'
import { useActions } from './palette-actions.tsx'
import { useFinds } from './palette-finds.ts'
import { closeWindow, openWindow } from './windows.tsx'

/** One thing that can be chosen. */
interface Entry {
  id: string
  name: string
  icon: ReactNode
  /** Beside it, smaller. */
  aside?: ReactNode
  run: () => void
}

const row = 'flex items-center gap-2.5 rounded-control px-2.5 py-2 data-[selected=true]:bg-raise max-sm:py-3'
const groupLook =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-small [&_[cmdk-group-heading]]:text-mute'
const words = strings.palette

/** Finds everything that has a name, and does everything that can be done from anywhere. */
export default function Palette() {
  const [text, setText] = useState('')
  const [choice, setChoice] = useState({ first: '', value: '' })
  const wanted = text.trim()
  const groups = useGroups(wanted)
  const first = groups.find(({ entries }) => entries.length > 0)?.entries[0]?.id ?? ''
  // Results arrive after a choice was made for the person: when another one comes first, it is chosen.
  const chosen = choice.first === first ? choice.value : first
  return (
    <Dialog title={words.open} hidesTitle onClose={closeWindow} className="w-150">
      <Command
        shouldFilter={false}
        loop
        value={chosen}
        onValueChange={(value) => setChoice({ first, value })}
        label={words.open}
        className="flex min-h-0 flex-col"
      >
        <Command.Input
          dir="auto"
          value={text}
          onValueChange={setText}
          placeholder={words.placeholder}
          className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-large outline-none max-sm:text-[16px]"
        />
        <Command.List className="min-h-0 overflow-y-auto p-1.5">
          {groups
            .filter(({ entries }) => entries.length > 0)
            .map(({ heading, entries }) => (
              <Command.Group key={heading} heading={heading} className={groupLook}>
                {entries.map((entry) => (
                  <Item key={entry.id} {...entry} />
                ))}
              </Command.Group>
            ))}
        </Command.List>
      </Command>
    </Dialog>
  )
}

function Item({ id, name, icon, aside, run }: Entry) {
  return (
    <Command.Item
      value={id}
      className={row}
      onSelect={() => {
        closeWindow()
        run()
      }}
    >
      <span className="flex text-mute [&_svg]:size-4 [&_svg]:shrink-0">{icon}</span>
      <bdi dir="auto" className="min-w-0 truncate">
        {name}
      </bdi>
      {aside && <span className="ms-auto max-w-1/2 shrink-0 truncate text-small text-mute">{aside}</span>}
    </Command.Item>
  )
}

function useGroups(wanted: string): { heading: string; entries: Entry[] }[] {
  const navigate = useNavigate()
  const finds = useFinds(wanted)
  const actions = bestFitting(useActions(), wanted, ({ name }) => name).map(
    ({ name, icon, keys, run }): Entry => ({
      id: name,
      name,
      icon,
      run,
      ...(keys && { aside: <Kbd keys={keys} /> }),
    }),
  )
  const create = {
    id: 'create',
    name: words.newTaskCalled(wanted),
    icon: <Plus />,
    run: () => openWindow({ name: 'newTask', start: { title: wanted } }),
  }
  return [
    {
      heading: words.tasks,
      entries: finds.tasks.map(({ id, title, status }) => ({
        id,
        name: title,
        icon: <Signal aspect={aspectOf[status]} word={strings.status[status]} hidesWord />,
        aside: <span aria-hidden>{strings.status[status]}</span>,
        run: () => void navigate({ to: '/board', search: { task: id } }),
      })),
    },
    {
      heading: strings.rooms.sessions,
      entries: finds.sessions.map(({ id, title }) => ({
        id,
        name: title,
        icon: <TrainTrack aria-hidden />,
        run: () => void navigate({ to: '/sessions/$id', params: { id } }),
      })),
    },
    {
      heading: strings.rooms.agents,
      entries: finds.agents.map(({ id, name }) => ({
        id,
        name,
        icon: <Bot aria-hidden />,
        aside: words.askAgent,
        run: () => openWindow({ name: 'ask', agentId: id }),
      })),
    },
    {
      heading: strings.rooms.workspaces,
      entries: finds.workspaces.map(({ id, name, root }) => ({
        id,
        name,
        icon: <Boxes aria-hidden />,
        aside: <bdi dir="ltr">{root}</bdi>,
        run: () => void navigate({ to: '/workspaces', hash: id }),
      })),
    },
    {
      heading: strings.rooms.tools,
      entries: finds.tools.map(({ name, description }) => ({
        id: `tool ${name}`,
        name,
        icon: <Wrench aria-hidden />,
        aside: description.split('\n', 1)[0] ?? '',
        run: () => void navigate({ to: '/tools', hash: name }),
      })),
    },
    { heading: words.actions, entries: wanted ? [...actions, create] : actions },
  ]
}
