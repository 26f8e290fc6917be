import { useDeferredValue, useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import { discoveryStrings } from '../../strings/discovery.ts'
import { Button } from '../../ui/button.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { AgentRow } from './agent-row.tsx'

const words = discoveryStrings.agent
/** Somebody who confirms all that is on a machine has more than can be read through. */
const shownAtFirst = 12

interface Props {
  agents: readonly Agent[]
  onRun: (agentId: string) => void
  onOpen: (agentId: string) => void
}

/** Those that are talked to first; then the commands, as they are called. */
export function AgentList({ agents, onRun, onOpen }: Props) {
  const [sought, setSought] = useState('')
  const [isAll, setAll] = useState(false)
  const settled = useDeferredValue(sought.trim().toLowerCase())
  const fitting = agents
    .filter(({ name, binaryPath }) => `${name}\n${binaryPath ?? ''}`.toLowerCase().includes(settled))
    .toSorted((one, other) => Number(one.adapter === 'template') - Number(other.adapter === 'template'))
  const shown = isAll || settled !== '' ? fitting : fitting.slice(0, shownAtFirst)
  return (
    <>
      {agents.length > shownAtFirst && (
        <input
          type="search"
          dir="auto"
          className={`${fieldLook} mt-2 mb-1 max-w-90`}
          value={sought}
          aria-label={words.find}
          placeholder={words.find}
          onChange={(event) => setSought(event.target.value)}
        />
      )}
      {agents.length > 0 && fitting.length === 0 && <p className="py-2 text-soft">{words.nothing}</p>}
      <ul>
        {shown.map((agent) => (
          <AgentRow key={agent.id} agent={agent} onRun={onRun} onOpen={onOpen} />
        ))}
      </ul>
      {fitting.length > shown.length && (
        <Button look="quiet" className="mt-1 -ms-2.5" onClick={() => setAll(true)}>
          {words.more(fitting.length - shown.length)}
        </Button>
      )}
    </>
  )
}
