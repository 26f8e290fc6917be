import { Bot, Boxes, House, Inbox, Server, Settings, SquareKanban, TrainTrack, Wrench } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { strings } from '../../strings/page.ts'

type Name = keyof typeof strings.rooms
export interface Room {
  to: '/' | `/${Exclude<Name, 'home'>}`
  name: string
  Icon: LucideIcon
  /** Pressed after G. */
  letter: string
  /** On a phone there is place for five, and the way to the others is to look for them. */
  isForDesks?: true
}

/** Every room that has a place of its own, in the order in which people find them. */
export const rooms: readonly Room[] = [
  { to: '/', name: strings.rooms.home, Icon: House, letter: 'h' },
  { to: '/board', name: strings.rooms.board, Icon: SquareKanban, letter: 'b' },
  { to: '/inbox', name: strings.rooms.inbox, Icon: Inbox, letter: 'i' },
  { to: '/sessions', name: strings.rooms.sessions, Icon: TrainTrack, letter: 's' },
  { to: '/agents', name: strings.rooms.agents, Icon: Bot, letter: 'a' },
  { to: '/tools', name: strings.rooms.tools, Icon: Wrench, letter: 't', isForDesks: true },
  { to: '/workspaces', name: strings.rooms.workspaces, Icon: Boxes, letter: 'w', isForDesks: true },
  { to: '/machines', name: strings.rooms.machines, Icon: Server, letter: 'm', isForDesks: true },
  { to: '/settings', name: strings.rooms.settings, Icon: Settings, letter: ',', isForDesks: true },
]
