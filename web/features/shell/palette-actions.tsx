import { useNavigate } from '@tanstack/react-router'
import { Footprints, Keyboard, MessageSquare, Monitor, Moon, Play, Plus, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { askStrings } from '../../strings/ask.ts'
import { chatStrings } from '../../strings/chat.ts'
import { strings } from '../../strings/page.ts'
import { settingsStrings } from '../../strings/settings.ts'
import { welcomeStrings } from '../../strings/welcome.ts'
import { chooseTheme } from '../../theme.ts'
import { maySee, sections } from '../settings/sections.ts'
import { rooms } from './rooms.ts'
import { openWindow } from './windows.tsx'

export interface Action {
  name: string
  icon: ReactNode
  keys?: string
  run: () => void
}

/** What can be done from anywhere. */
export function useActions(): Action[] {
  const navigate = useNavigate()
  const principal = useStore(session, (key) => key?.principal)
  const words = strings.palette
  return [
    { name: words.newTask, icon: <Plus />, keys: 'N', run: () => openWindow({ name: 'newTask' }) },
    ...rooms.map(({ to, name, Icon, letter }) => ({
      name: words.go(name),
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
    { name: welcomeStrings.heading, icon: <Footprints />, run: () => void navigate({ to: '/welcome' }) },
    ...sections
      .filter((section) => principal && maySee(principal, section))
      .map(({ name, Icon }) => ({
        name: words.setting(settingsStrings.section[name]),
        icon: <Icon />,
        run: () => void navigate({ to: '/settings', search: { section: name } }),
      })),
    { name: strings.themeAction.dark, icon: <Moon />, run: () => chooseTheme('dark') },
    { name: strings.themeAction.light, icon: <Sun />, run: () => chooseTheme('light') },
    { name: strings.themeAction.system, icon: <Monitor />, run: () => chooseTheme('system') },
    { name: words.keys, icon: <Keyboard />, keys: '?', run: () => openWindow({ name: 'keys' }) },
  ]
}
