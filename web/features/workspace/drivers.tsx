import { useQuery } from '@tanstack/react-query'
import type { DriverOnMachine, WorkspaceDriver } from '../../../src/contract/workspace.ts'
import { roomApi } from '../../room-api.ts'
import { workspaceStrings } from '../../strings/workspace.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Signal } from '../../ui/signal.tsx'

const words = workspaceStrings

const useDrivers = () =>
  useQuery({ queryKey: ['drivers'], queryFn: ({ signal }) => roomApi.drivers(signal), staleTime: 60_000 })

/** How it stands with one; without a machine, on the only one there is. Undefined until it was tried. */
export function useDriver(driver: WorkspaceDriver, machineId?: string): DriverOnMachine | undefined {
  const { data } = useDrivers()
  const machine = machineId
    ? data?.find((one) => one.machineId === machineId)
    : data?.length === 1
      ? data[0]
      : undefined
  return machine?.drivers.find((one) => one.driver === driver)
}

/** What the machines can enclose agents with, as they really tried. */
export function Drivers() {
  const { data, error, refetch } = useDrivers()
  if (!data && error)
    return (
      <p className="flex items-center gap-3 py-2">
        {words.driversUnknown}: {error.message}
        <Button onClick={() => void refetch()}>{strings.retry}</Button>
      </p>
    )
  if (!data) return <output className="block py-2 text-mute">{words.trying}</output>
  return (
    <ul>
      {data.flatMap(({ machineId, drivers }) =>
        drivers.map((driver) => <DriverRow key={`${machineId} ${driver.driver}`} {...driver} />),
      )}
    </ul>
  )
}

function DriverRow({ driver, works, reason, lacks, version }: DriverOnMachine) {
  return (
    <li data-driver={driver} className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <div className="min-w-0 grow">
        <p className="flex items-baseline gap-2">
          <span className="font-medium">{words.driver[driver]}</span>
          {version && <span className="text-small text-mute tabular-nums">{version}</span>}
        </p>
        <p className="text-small wrap-anywhere text-mute">{words.what[driver]}</p>
        {reason && <p className="text-small wrap-anywhere text-soft">{reason}</p>}
        {lacks.map(({ what, why }) => (
          <p key={what} className="text-small wrap-anywhere text-soft">
            {words.lacks(what)} {why}
          </p>
        ))}
      </div>
      <span className="text-small text-soft">
        <Signal aspect={works ? 'done' : 'off'} word={works ? words.works : words.doesNotWork} />
      </span>
    </li>
  )
}
