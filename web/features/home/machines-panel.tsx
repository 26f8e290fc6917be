import { Link } from '@tanstack/react-router'
import { homePanelStrings } from '../../strings/home.ts'
import { bytes } from '../../ui/bytes.ts'
import { Panel } from '../../ui/panel.tsx'
import { MachineSignal } from '../machine/machine-signal.tsx'
import { useMachines } from '../machine/use-machines.ts'

/** Where work is done: whether it is there, how much it does, and what room is left. */
export function MachinesPanel() {
  const { data, error } = useMachines(10_000)
  const words = homePanelStrings
  return (
    <Panel
      title={words.machines}
      aside={
        <Link
          to="/machines"
          className="pe-1.5 text-small text-soft underline decoration-edge underline-offset-2"
        >
          {words.allMachines}
        </Link>
      }
    >
      {!data && error && <p className="px-3 py-2.5 text-soft">{words.failed(error.message)}</p>}
      <ul className="divide-y divide-line">
        {data?.map((machine) => {
          const { machineId, name, state, report } = machine
          return (
            <li key={machineId} data-machine={machineId} className="flex flex-col px-3 py-2">
              <span className="flex items-center gap-2">
                <bdi className="truncate font-medium">{name}</bdi>
                <span className="ms-auto text-small text-soft">
                  <MachineSignal machine={machine} />
                </span>
              </span>
              {report && state === 'up' && (
                <span className="flex gap-3 text-small text-mute tabular-nums">
                  {words.live(report.live.coding, report.limit.coding)}
                  <span className="ms-auto">{words.free(bytes(report.freeDiskBytes))}</span>
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}
