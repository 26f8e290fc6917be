import { useNavigate } from '@tanstack/react-router'
import { Footprints, Keyboard, MessageSquare, Monitor, Moon, Play, Plus, Settings, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import { askStrings } from '../../strings/ask.ts'
import { chatStrings } from '../../strings/chat.ts'
import { strings } from '../../strings/page.ts'
import { settingsStrings } from '../../strings/settings.ts'
import { welcomeStrings } from '../../strings/welcome.ts'
import { chooseTheme } from '../../theme.ts'
import { rooms } from './rooms.ts'
import { openWindow } from './windows.tsx'

export interface Action {
  name: string
  icon: ReactNode
  keys?: string
  run: () => void
}

const settingsSections = [settingsStrings.appearance, settingsStrings.you]

/** What can be done from anywhere. */
export function useActions(): Action[] {
  const navigate = useNavigate()
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
    ...settingsSections.map((section) => ({
      name: words.setting(section),
      icon: <Settings />,
      run: () => void navigate({ to: '/settings', hash: section.toLowerCase() }),
    })),
    { name: strings.themeAction.dark, icon: <Moon />, run: () => chooseTheme('dark') },
    { name: strings.themeAction.light, icon: <Sun />, run: () => chooseTheme('light') },
    { name: strings.themeAction.system, icon: <Monitor />, run: () => chooseTheme('system') },
    { name: words.keys, icon: <Keyboard />, keys: '?', run: () => openWindow({ name: 'keys' }) },
  ]
}
