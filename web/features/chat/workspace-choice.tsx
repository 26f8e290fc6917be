import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { roomApi } from '../../room-api.ts'
import { chatStrings } from '../../strings/chat.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/menu.tsx'

interface Props {
  machineId: string | null
  value: string | null
  onChoose: (workspaceId: string | null) => void
}

const none = ''

/** Whose files the model may work with, if anybody's. Where there is nothing to choose, nothing is shown. */
export function WorkspaceChoice({ machineId, value, onChoose }: Props) {
  const { data } = useQuery({
    queryKey: ['workspaces', 'for chat'],
    queryFn: ({ signal }) => roomApi.workspaces({ pageSize: 100 }, signal),
  })
  const here = (data ?? []).filter((each) => machineId === null || each.machineId === machineId)
  if (here.length === 0) return null
  const chosen = here.find(({ id }) => id === value)
  return (
    <Choices
      label={chatStrings.workspace}
      value={chosen?.id ?? none}
      choices={[
        { value: none, label: chatStrings.noWorkspace },
        ...here.map(({ id, name }) => ({ value: id, label: <bdi className="truncate">{name}</bdi> })),
      ]}
      onChoose={(id) => onChoose(id === none ? null : id)}
    >
      <Button look={chosen ? 'plain' : 'quiet'} className="max-w-50">
        <bdi className="truncate">{chosen?.name ?? chatStrings.noWorkspace}</bdi>
        <ChevronDown size={14} className="shrink-0 text-mute" aria-hidden />
      </Button>
    </Choices>
  )
}
