import { useNavigate } from '@tanstack/react-router'
import { ArrowDownToLine, ArrowUpToLine, Play } from 'lucide-react'
import type { Card } from '../../../src/contract/board-event.ts'
import { strings } from '../../strings/page.ts'
import { MenuContent, MenuItem, MenuLabel, MenuLine, MenuRoot, MenuTrigger } from '../../ui/menu.tsx'
import { Signal } from '../../ui/signal.tsx'
import { useAskable } from '../agent/askable.ts'
import { boardNow } from './board-view.ts'
import { focusCard } from './focus.ts'
import { menuFor } from './menu-for.ts'
import { moveCard, movesFrom } from './move-card.ts'
import { startWith } from './start-with.ts'
import { aspectOf } from './signal-of.ts'

export default function MoveMenu({ card }: { card: Card }) {
  const { id, status } = card
  const askable = useAskable()
  const navigate = useNavigate()
  const openSession = (sessionId: string) => void navigate({ to: '/sessions/$id', params: { id: sessionId } })
  const move = (to: Card['status'], index: number) => void moveCard(boardNow(), id, to, index)
  return (
    <MenuRoot open onOpenChange={(isOpen) => !isOpen && menuFor.set(null)}>
      <MenuTrigger asChild>
        <span aria-hidden tabIndex={-1} className="pointer-events-none absolute inset-x-0 top-8 h-0" />
      </MenuTrigger>
      <MenuContent
        aria-label={strings.board.moreOf(card.title)}
        onCloseAutoFocus={(event) => {
          event.preventDefault()
          focusCard(id)
        }}
      >
        <MenuLabel>{strings.board.moveTo}</MenuLabel>
        {movesFrom(status).map((to) => (
          <MenuItem key={to} onSelect={() => move(to, 0)}>
            <Signal aspect={aspectOf[to]} word={strings.status[to]} />
          </MenuItem>
        ))}
        {askable && askable.length > 0 && (
          <>
            <MenuLine />
            <MenuLabel>{strings.board.startWith}</MenuLabel>
            {askable.map((one) => (
              <MenuItem
                key={one.agent.id}
                aria-label={strings.board.startWithOne(one.agent.name)}
                onSelect={() => void startWith(card, one, openSession)}
              >
                <Play size={12} aria-hidden /> <bdi dir="auto">{one.agent.name}</bdi>
              </MenuItem>
            ))}
          </>
        )}
        <MenuLine />
        <MenuItem onSelect={() => move(status, 0)}>
          <ArrowUpToLine size={12} aria-hidden /> {strings.board.top}
        </MenuItem>
        <MenuItem onSelect={() => move(status, boardNow()[status].cards.length)}>
          <ArrowDownToLine size={12} aria-hidden /> {strings.board.bottom}
        </MenuItem>
      </MenuContent>
    </MenuRoot>
  )
}
