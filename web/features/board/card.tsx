import { GitBranch, Hourglass } from 'lucide-react'
import type { Card } from '../../../src/contract/board-event.ts'
import { strings } from '../../strings/page.ts'
import { ChangesSize } from '../../ui/changes-size.tsx'
import { PriorityMark } from '../../ui/priority.tsx'
import { Signal } from '../../ui/signal.tsx'
import { age, dateAndTime } from '../../ui/time.ts'
import type { Moves } from './live-tasks.ts'
import { signalAtRest } from './signal-of.ts'

interface Props {
  card: Card
  agentName: string | undefined
  parentTitle: string | undefined
  now: number
  moves: Moves | undefined
}

/** What a card says, without what one can do with it. Titles are other people's text: inert, and isolated in direction. */
export function CardFace({ card, agentName, parentTitle, now, moves }: Props) {
  const { aspect, word } = moves
    ? { aspect: moves.movement, word: strings.signal[moves.movement] }
    : signalAtRest(card)
  const { work } = card
  const who = work?.agentName ?? agentName
  return (
    <>
      {card.parentTaskId && (
        <span className="mb-1 flex min-w-0 items-center gap-1 text-small text-mute max-sm:pe-7">
          <GitBranch size={12} className="shrink-0" aria-hidden />
          <span className="sr-only">{strings.board.subtask}: </span>
          <bdi dir="auto" className="truncate">
            {parentTitle ?? strings.board.subtask}
          </bdi>
        </span>
      )}
      <span className="block max-sm:pe-7">
        <bdi dir="auto" className="line-clamp-3 font-medium wrap-anywhere">
          {card.title}
        </bdi>
      </span>
      {moves?.asks && (
        <span className="mt-1 block text-small text-soft" title={moves.asks}>
          <bdi dir="auto" className="line-clamp-2 wrap-anywhere">
            {moves.asks}
          </bdi>
        </span>
      )}
      <span className="mt-1.5 flex items-center gap-2.5 text-small text-mute">
        <span className="flex text-soft">
          <Signal aspect={aspect} word={word} />
        </span>
        {who && (
          <bdi dir="auto" className="min-w-12 truncate">
            {who}
          </bdi>
        )}
        {work && work.turns > 1 && (
          <span className="shrink-0 tabular-nums">{strings.board.turns(work.turns)}</span>
        )}
        {work?.changes && work.changes.files > 0 && <ChangesSize changes={work.changes} />}
        <PriorityMark priority={card.priority} />
        {card.dependsOnTaskIds.length > 0 && (
          <span
            className="flex items-center gap-1"
            title={strings.board.dependencies(card.dependsOnTaskIds.length)}
          >
            <Hourglass size={12} aria-hidden />
            <span aria-hidden>{card.dependsOnTaskIds.length}</span>
            <span className="sr-only">{strings.board.dependencies(card.dependsOnTaskIds.length)}</span>
          </span>
        )}
        <time
          dateTime={card.createdAt}
          title={dateAndTime(card.createdAt)}
          className="ms-auto shrink-0 font-mono text-tiny"
        >
          {age(card.createdAt, now)}
        </time>
      </span>
    </>
  )
}
