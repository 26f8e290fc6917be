import { useQuery } from '@tanstack/react-query'
import type { MachineDisk } from '../../../src/contract/workspace.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { bytes } from '../../ui/bytes.ts'
import { workspaceApi } from './workspace-api.ts'
import { useMachines } from './workspace-machines.ts'

/** What all of it takes on the disk of each machine, as last measured. */
export function DiskUse() {
  const { data } = useQuery({
    queryKey: ['disk'],
    queryFn: ({ signal }) => workspaceApi.disk(signal),
    staleTime: 5_000,
    refetchInterval: 60_000,
  })
  const machines = useMachines()
  const shown =
    data?.filter(({ reason, workspaces, trash }) => reason === null || workspaces + trash > 0) ?? []
  return (
    <ul data-disk-use className="min-h-5 text-small text-soft tabular-nums">
      {shown.map((disk) => (
        <li key={disk.machineId} title={disk.reason ?? undefined}>
          {shown.length > 1 && (
            <bdi className="me-2 font-medium">
              {machines.data?.find(({ machineId }) => machineId === disk.machineId)?.name}
            </bdi>
          )}
          {partsOf(disk).join(' · ')}
        </li>
      ))}
    </ul>
  )
}

const partsOf = ({ workspaces, trash, archives, freeBytes, unmeasured }: MachineDisk): string[] => [
  words.disk.workspaces(bytes(workspaces)),
  words.disk.trash(bytes(trash)),
  ...(archives === null ? [] : [words.disk.archives(bytes(archives))]),
  ...(freeBytes === null ? [words.disk.unreachable] : [words.disk.free(bytes(freeBytes))]),
  ...(unmeasured === 0 ? [] : [words.disk.unmeasured(unmeasured)]),
]
