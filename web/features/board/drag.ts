import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { autoScrollForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element'
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { attachClosestEdge, extractClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge'
import type { Card } from '../../../src/contract/board-event.ts'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { find } from './board.ts'
import type { Board } from './board.ts'
import { held } from './held.ts'
import type { Edge } from './held.ts'
import { mayGo } from './move-card.ts'

const mayDropInto = (status: TaskStatus) => {
  const now = held.get()
  return now !== null && mayGo(now.from, status)
}

/** Lets a card be picked up, and tells on which edge of it another one would land. */
export function makeDraggable(
  handle: HTMLElement,
  row: HTMLElement,
  { id, status }: Pick<Card, 'id' | 'status'>,
  onEdge: (edge: Edge | null) => void,
): () => void {
  return combine(
    draggable({
      element: handle,
      getInitialData: () => ({ id }),
      onGenerateDragPreview: () => held.set({ id, from: status }),
      onDrop: () => held.set(null),
    }),
    dropTargetForElements({
      element: row,
      canDrop: () => mayDropInto(status),
      getData: ({ input, element }) =>
        attachClosestEdge({ id, status }, { input, element, allowedEdges: ['top', 'bottom'] }),
      onDrag: ({ self }) =>
        onEdge(held.get()?.id === id ? null : (extractClosestEdge(self.data) as Edge | null)),
      onDragLeave: () => onEdge(null),
      onDrop: () => onEdge(null),
    }),
  )
}

/** Where in a column a card is held: over one of its cards, or over its free space, from where it goes to the end. */
export type Over = 'cards' | 'end'

/** Lets cards be dropped into the free space of a column, which scrolls when a card is held at its edge. */
export function makeDropColumn(
  element: HTMLElement,
  scroller: HTMLElement | null,
  status: TaskStatus,
  onOver: (over: Over | null) => void,
): () => void {
  return combine(
    scroller ? autoScrollForElements({ element: scroller }) : () => undefined,
    dropTargetForElements({
      element,
      canDrop: () => mayDropInto(status),
      getData: () => ({ status }),
      onDrag: ({ location }) =>
        onOver(location.current.dropTargets[0]?.element === element ? 'end' : 'cards'),
      onDragLeave: () => onOver(null),
      onDrop: () => onOver(null),
    }),
  )
}

/** Lets cards be dropped on an agent, from whatever column. */
export function makeDropAgent(
  element: HTMLElement,
  agentId: string,
  onOver: (isOver: boolean) => void,
): () => void {
  return dropTargetForElements({
    element,
    getData: () => ({ agentId }),
    onDragEnter: () => onOver(true),
    onDragLeave: () => onOver(false),
    onDrop: () => onOver(false),
  })
}

/** Calls with the place among the other cards of a column where a card was let go, or with the agent that it was let go on. */
export function onCardDrop(
  frame: HTMLElement,
  board: () => Board,
  drop: (id: string, status: TaskStatus, index: number) => void,
  dropOnAgent: (id: string, agentId: string) => void,
): () => void {
  const follow = monitorForElements({
    onDrop: ({ source, location }) => {
      const target = location.current.dropTargets[0]
      const id = source.data['id']
      if (!target || typeof id !== 'string') return
      const agentId = target.data['agentId']
      if (typeof agentId === 'string') return dropOnAgent(id, agentId)
      const status = target.data['status'] as TaskStatus
      const others = board()[status].cards.filter((card) => card.id !== id)
      const over = others.findIndex((card) => card.id === target.data['id'])
      if (target.data['id'] === id && find(board(), id)?.status === status) return
      const below = extractClosestEdge(target.data) === 'bottom' ? 1 : 0
      drop(id, status, over === -1 ? others.length : over + below)
    },
  })
  return combine(autoScrollForElements({ element: frame }), follow)
}
