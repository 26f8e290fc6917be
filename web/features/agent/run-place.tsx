import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import type { Workspace } from '../../../src/contract/workspace.ts'
import { discoveryStrings } from '../../strings/discovery.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/menu.tsx'
import { fieldLook } from '../approval/field-look.ts'

const words = discoveryStrings.run

/** A workspace, a folder that may become one, or where the agent usually works. */
export type Place = { workspaceId: string } | { folder: string } | null
export const noPlace: Place = null

const key = ['workspaces', 'to run in']
const usual = 'usual'
const other = 'other'

interface Props {
  machineId: string | null
  usual: string | null
  value: Place
  onChange: (place: Place) => void
}

/** Where a command runs. */
export function RunPlace({ machineId, usual: usualFolder, value, onChange }: Props) {
  const { data } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => roomApi.workspaces({ pageSize: 100 }, signal),
    staleTime: 10_000,
  })
  const here = (data ?? []).filter((each) => machineId === null || each.machineId === machineId)
  const chosen = value && 'workspaceId' in value ? here.find(({ id }) => id === value.workspaceId) : undefined
  const isOther = value !== null && 'folder' in value
  const choices = [
    { value: usual, label: usualFolder ?? words.usualPlace },
    ...here.map(({ id, name }) => ({ value: id, label: <bdi className="truncate">{name}</bdi> })),
    { value: other, label: words.otherFolder },
  ]
  return (
    <span className="flex min-w-0 grow flex-wrap items-center gap-2">
      <Choices
        label={words.place}
        value={isOther ? other : (chosen?.id ?? usual)}
        choices={choices}
        onChoose={(id) => onChange(id === usual ? null : id === other ? { folder: '' } : { workspaceId: id })}
      >
        <Button look={value ? 'plain' : 'quiet'} className="max-w-50 min-w-0 shrink!">
          <bdi className="truncate">
            {isOther ? words.otherFolder : (chosen?.name ?? usualFolder ?? words.usualPlace)}
          </bdi>
          <ChevronDown size={14} className="shrink-0 text-mute" aria-hidden />
        </Button>
      </Choices>
      {isOther && (
        <input
          dir="ltr"
          required
          className={`${fieldLook} max-w-80`}
          value={value.folder}
          maxLength={4096}
          aria-label={words.folder}
          placeholder={words.folderHint}
          onChange={(event) => onChange({ folder: event.target.value })}
        />
      )}
    </span>
  )
}

/** The workspace of a place; of a folder that has none, one is made. */
export async function workspaceAt(place: Place, machineId: string | null): Promise<string | undefined> {
  if (place === null) return undefined
  if ('workspaceId' in place) return place.workspaceId
  const root = place.folder.trim()
  const known = (queryClient.getQueryData<Workspace[]>(key) ?? []).find(
    (each) => each.driver === 'folder' && each.root === root && each.machineId === machineId,
  )
  if (known) return known.id
  const made = await roomApi.makeWorkspace({ driver: 'folder', root, ...(machineId && { machineId }) })
  void queryClient.invalidateQueries({ queryKey: ['workspaces'] })
  return made.id
}
