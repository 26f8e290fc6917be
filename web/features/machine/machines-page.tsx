import { strings } from '../../strings/page.ts'
import { machineStrings } from '../../strings/machine.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { MachineCard } from './machine-card.tsx'
import { useMachines } from './use-machines.ts'

/** Every machine that agents run on, and how it is. */
export default function MachinesPage() {
  const { data, error, refetch } = useMachines()
  const words = machineStrings
  const again = <Button onClick={() => void refetch()}>{strings.retry}</Button>
  return (
    <>
      <PageHead title={words.heading}>
        {data && <span className="text-small text-mute tabular-nums">{words.total(data.length)}</span>}
      </PageHead>
      {!data && !error && (
        <output className="animate-appear-late px-5.5 py-2 text-mute max-sm:px-4">{strings.loading}</output>
      )}
      {!data && error && (
        <Empty title={words.failed} text={error.message}>
          {again}
        </Empty>
      )}
      {data?.length === 0 && (
        <Empty title={words.emptyTitle} text={words.emptyText}>
          {again}
        </Empty>
      )}
      {data && data.length > 0 && (
        <ul className="flex min-h-0 grow flex-col gap-4 overflow-y-auto px-5.5 pt-1 pb-10 max-sm:px-4">
          {data.map((machine) => (
            <li key={machine.machineId}>
              <MachineCard machine={machine} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
