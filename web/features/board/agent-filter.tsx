import { ChevronDown } from 'lucide-react'
import type { Agent } from '../../../src/contract/agent.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/menu.tsx'

interface Props {
  agents: Agent[]
  chosenId: string | undefined
  onChoose: (id: string) => void
}

export default function AgentFilter({ agents, chosenId, onChoose }: Props) {
  const everyone = { value: '', label: strings.board.allAgents }
  const choices = [
    everyone,
    ...agents.map(({ id, name }) => ({ value: id, label: <bdi dir="auto">{name}</bdi> })),
  ]
  const shown = agents.find(({ id }) => id === chosenId)?.name ?? strings.board.allAgents
  return (
    <Choices label={strings.task.assignee} value={chosenId ?? ''} choices={choices} onChoose={onChoose}>
      <Button>
        <bdi dir="auto">{shown}</bdi>
        <ChevronDown size={14} className="text-mute" aria-hidden />
      </Button>
    </Choices>
  )
}
