import { useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import { roomStrings as words } from '../../strings/room.ts'
import { IconButton } from '../../ui/button.tsx'
import { MenuContent, MenuItem, MenuLine, MenuRoot, MenuTrigger } from '../../ui/menu.tsx'
import { useMayUseTerminal } from '../terminal/may-use.ts'
import { TakeOverWindow } from '../terminal/take-over-window.tsx'
import { isLive } from './execution-list.ts'
import type { KnownExecution } from './execution-list.ts'
import { maySpeak } from './may-speak.ts'
import { RenameWindow } from './rename-window.tsx'
import { fork, restore, trash } from './session-actions.ts'
import { whyNot } from './why-not.ts'

interface Props {
  session: Session
  agent: Agent | undefined
  execution: KnownExecution | undefined
  isTalk: boolean
}

/** What can be done with a session as a whole; what cannot be done says why. */
export function SessionMenu({ session, agent, execution, isTalk }: Props) {
  const [open, setOpen] = useState<'rename' | 'takeOver' | null>(null)
  const navigate = useNavigate()
  const why = whyNot({
    session,
    agent,
    isTalk,
    isAtWork: execution !== undefined && isLive(execution.status),
    maySpeak: maySpeak(agent?.adapter === 'chat'),
    mayUseTerminal: useMayUseTerminal(),
  })
  const goToFork = async () => {
    const id = await fork(session.id)
    if (id) await navigate({ to: '/sessions/$id', params: { id } })
  }
  return (
    <>
      <MenuRoot>
        <MenuTrigger asChild>
          <IconButton label={words.menu} data-session-menu>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        </MenuTrigger>
        <MenuContent>
          <Choice label={words.rename} why={why.rename} onChoose={() => setOpen('rename')} />
          <Choice label={words.fork} why={why.fork} onChoose={() => void goToFork()} />
          {!session.takenOverAt && (
            <Choice label={words.takeOver} why={why.takeOver} onChoose={() => setOpen('takeOver')} />
          )}
          <MenuLine />
          {session.trashedAt ? (
            <Choice label={words.restore} why={why.restore} onChoose={() => void restore(session.id)} />
          ) : (
            <Choice label={words.trash} why={why.trash} onChoose={() => void trash(session)} />
          )}
        </MenuContent>
      </MenuRoot>
      {open === 'rename' && <RenameWindow session={session} onClose={() => setOpen(null)} />}
      {open === 'takeOver' && agent && (
        <TakeOverWindow
          session={session}
          agentName={agent.name}
          execution={execution}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}

/** What cannot be done stays there to be read, and does nothing. */
function Choice({ label, why, onChoose }: { label: string; why: string | null; onChoose: () => void }) {
  return (
    <MenuItem
      aria-disabled={why !== null}
      onSelect={(event) => (why === null ? onChoose() : event.preventDefault())}
    >
      <span className="flex flex-col">
        <span className={why === null ? '' : 'text-mute'}>{label}</span>
        {why && <span className="text-small text-mute">{why}</span>}
      </span>
    </MenuItem>
  )
}
