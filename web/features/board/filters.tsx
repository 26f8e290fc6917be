import { Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import { part } from '../../part.tsx'
import { strings } from '../../strings/page.ts'
import { IconButton } from '../../ui/button.tsx'
import { isFiltered } from './filter.ts'
import type { Filter } from './filter.ts'

interface Props {
  filter: Filter
  agents: Agent[]
  onChange: (filter: Filter) => void
}

const AgentFilter = part(() => import('./agent-filter.tsx'))

export function Filters({ filter, agents, onChange }: Props) {
  const { q = '', assigneeAgentId } = filter
  return (
    <>
      <TextFilter q={q} onChange={(text) => onChange({ ...filter, q: text })} />
      {(assigneeAgentId || agents.some(({ builtin }) => !builtin)) && (
        <AgentFilter
          agents={agents}
          chosenId={assigneeAgentId}
          onChoose={(id) => onChange({ ...filter, assigneeAgentId: id })}
        />
      )}
      {isFiltered(filter) && (
        <IconButton label={strings.board.clearFilters} onClick={() => onChange({})}>
          <X size={14} aria-hidden />
        </IconButton>
      )}
    </>
  )
}

/** Written text reaches the address bar, and with it the board, when the typing pauses. */
function TextFilter({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const [text, setText] = useState(q)
  const told = useRef(q)
  useEffect(() => {
    if (q !== told.current) setText(q)
    told.current = q
  }, [q])
  useEffect(() => {
    if (text === told.current) return undefined
    const timer = setTimeout(() => {
      told.current = text
      onChange(text)
    }, 150)
    return () => clearTimeout(timer)
  }, [text, onChange])
  return (
    <label className="relative flex min-w-0 items-center max-sm:grow max-sm:basis-0">
      <Search size={14} className="pointer-events-none absolute start-2 text-mute" aria-hidden />
      <input
        type="search"
        dir="auto"
        value={text}
        maxLength={200}
        data-filter
        aria-label={strings.board.filter}
        aria-keyshortcuts="/"
        placeholder={strings.board.filter}
        className="h-7 w-44 min-w-0 rounded-control border border-control bg-panel ps-7 pe-2 max-sm:h-9 max-sm:w-full max-sm:text-[16px] [&::-webkit-search-cancel-button]:hidden"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          if (text) setText('')
          else event.currentTarget.blur()
        }}
      />
    </label>
  )
}
