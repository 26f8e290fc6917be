import { useQuery } from '@tanstack/react-query'
import { roomApi } from '../../room-api.ts'
import { machineStrings } from '../../strings/machine.ts'
import { workspaceStrings } from '../../strings/workspace.ts'
import { Signal } from '../../ui/signal.tsx'

const words = machineStrings

/** What the machine can enclose agents with, as it really tried, and why not. */
export function MachineDriverList({ machineId, isUp }: { machineId: string; isUp: boolean }) {
  const { data, error } = useQuery({
    queryKey: ['drivers'],
    queryFn: ({ signal }) => roomApi.drivers(signal),
    staleTime: 60_000,
  })
  const mine = data?.find((machine) => machine.machineId === machineId)?.drivers
  return (
    <section aria-label={words.drivers}>
      <h3 className="pb-1 text-small text-mute">{words.drivers}</h3>
      {!data && !error && isUp && <output className="text-small text-mute">{words.trying}</output>}
      {!data && error && <p className="text-small">{words.driversUnknown(error.message)}</p>}
      <ul className="flex flex-col gap-2">
        {mine?.map(({ driver, works, reason, lacks, version }) => (
          <li key={driver} data-driver={driver} data-works={works} className="text-small">
            <p className="flex items-center gap-2">
              <span className="text-base font-medium">{workspaceStrings.driver[driver]}</span>
              <span className="text-mute tabular-nums">{version}</span>
              <span className="ms-auto text-soft">
                <Signal
                  aspect={works ? 'done' : 'off'}
                  word={works ? workspaceStrings.works : workspaceStrings.doesNotWork}
                />
              </span>
            </p>
            {reason && <p className="wrap-anywhere text-soft">{reason}</p>}
            {lacks.map(({ what, why }) => (
              <p key={what} className="wrap-anywhere text-soft">
                {workspaceStrings.lacks(what)} {why}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}
