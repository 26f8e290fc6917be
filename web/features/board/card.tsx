import { GitBranch, Hourglass } from 'lucide-react'
import type { Card } from '../../../src/contract/board-event.ts'
import { strings } from '../../strings/page.ts'
import { PriorityMark } from '../../ui/priority.tsx'
import { Signal } from '../../ui/signal.tsx'
import { age, dateAndTime } from '../../ui/time.ts'
import type { Movement } from './live-tasks.ts'
import { cardSignal } from './signal-of.ts'

interface Props {
  card: Card
  agentName: string | undefined
  parentTitle: string | undefined
  now: number
  movement: Movement | undefined
}

/** What a card says, without what one can do with it. Titles are other people's text: inert, and isolated in direction. */
export function CardFace({ card, agentName, parentTitle, now, movement }: Props) {
  const { aspect, word } = movement
    ? { aspect: movement, word: strings.signal[movement] }
    : cardSignal[card.status]
  const isLoud = card.priority === 'high' || card.priority === 'critical'
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
      <span className="mt-1.5 flex items-center gap-2.5 text-small text-mute">
        <span className="flex text-soft">
          <Signal aspect={aspect} word={word} />
        </span>
        {agentName && (
          <bdi dir="auto" className="min-w-0 truncate">
            {agentName}
          </bdi>
        )}
        <span className="flex items-center gap-1.5">
          <PriorityMark priority={card.priority} />
          {isLoud && <span aria-hidden>{strings.priority[card.priority]}</span>}
        </span>
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
