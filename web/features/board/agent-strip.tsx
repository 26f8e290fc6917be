import { Bot } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import type { Askable } from '../agent/askable.ts'
import { held } from './held.ts'
import { whenDragIsThere } from './when-drag-is-there.ts'

/** The agents that a card in the hand can be given to. It lies over the board, so that nothing moves when it comes and goes. */
export function AgentStrip({ askable }: { askable: Askable[] | undefined }) {
  const isHolding = useStore(held, (now) => now !== null)
  if (!isHolding || !askable) return null
  return (
    <div
      data-agent-strip
      className="absolute inset-x-4 bottom-2 z-10 flex flex-wrap items-center gap-2 rounded-card border border-edge bg-panel p-2.5 shadow-float max-sm:inset-x-2"
    >
      <span className="px-1 text-small text-mute">
        {askable.length > 0 ? strings.board.dropToStart : strings.board.noAgents}
      </span>
      {askable.map(({ agent: { id, name } }) => (
        <DropAgent key={id} id={id} name={name} />
      ))}
    </div>
  )
}

function DropAgent({ id, name }: { id: string; name: string }) {
  const box = useRef<HTMLDivElement>(null)
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const target = box.current
    if (!target) return undefined
    return whenDragIsThere((drag) => drag.makeDropAgent(target, id, setOver))
  }, [id])
  return (
    <div
      ref={box}
      data-drop-agent={id}
      className={`flex h-11 min-w-32 items-center gap-2 rounded-control border px-3 font-medium ${isOver ? 'border-queue bg-raise' : 'border-dashed border-control'}`}
    >
      <Bot size={15} className="shrink-0 text-mute" aria-hidden />
      <bdi dir="auto" className="truncate">
        {name}
      </bdi>
    </div>
  )
}
