import type { ReactNode } from 'react'
import type { WorkerStatus } from '../../../src/contract/machine.ts'
import { machineStrings } from '../../strings/machine.ts'
import { bytes } from '../../ui/bytes.ts'
import { Panel } from '../../ui/panel.tsx'
import { ago, dateAndTime, duration } from '../../ui/time.ts'
import { useNow } from '../board/use-now.ts'
import { MachineDriverList } from './machine-drivers.tsx'
import { MachineSignal } from './machine-signal.tsx'
import { MachineSources } from './machine-sources.tsx'

const words = machineStrings

/** One machine: whether it is there, what it runs, what room it has, what it can enclose and which sources live on it. */
export function MachineCard({ machine }: { machine: WorkerStatus }) {
  const { machineId, name, state, report, seenAt } = machine
  const now = useNow(5000)
  return (
    <article data-machine={machineId} data-state={state} aria-label={name}>
      <Panel
        title={<bdi>{name}</bdi>}
        aside={
          <span className="pe-1.5 text-small text-soft">
            <MachineSignal machine={machine} />
          </span>
        }
      >
        {state === 'unreachable' && <Notice>{words.unheard(dateAndTime(seenAt))}</Notice>}
        {state === 'stopped' && <Notice>{words.stoppedSince(ago(seenAt, now))}</Notice>}
        {state === 'up' && report?.notClaiming && <Notice>{words.notClaiming(report.notClaiming)}</Notice>}
        <div className="grid grid-cols-3 gap-x-8 gap-y-4 px-3 py-3 max-lg:grid-cols-1">
          <div className="flex flex-col gap-3">
            {report && <Load report={report} isUp={state === 'up'} />}
            <Facts machine={machine} now={now} />
          </div>
          <MachineDriverList machineId={machineId} isUp={state === 'up'} />
          <MachineSources machineId={machineId} />
        </div>
      </Panel>
    </article>
  )
}

function Notice({ children }: { children: ReactNode }) {
  return (
    <p data-notice className="border-b border-line bg-raise px-3 py-2 text-soft wrap-anywhere">
      {children}
    </p>
  )
}

const kinds = ['coding', 'tool', 'chat'] as const

/** How many of its places are taken. */
function Load({
  report: { live, limit },
  isUp,
}: {
  report: NonNullable<WorkerStatus['report']>
  isUp: boolean
}) {
  return (
    <section aria-label={words.load} className="flex flex-col gap-1.5">
      {kinds.map((kind) => (
        <p
          key={kind}
          data-load={kind}
          className="grid grid-cols-[80px_1fr_auto] items-center gap-2 text-small"
        >
          <span className="text-mute">{words.kind[kind]}</span>
          <progress
            className="window-used h-1.5 w-full"
            max={Math.max(1, limit[kind])}
            value={isUp ? live[kind] : 0}
            aria-label={words.kind[kind]}
          />
          <span className="tabular-nums">{words.ofLimit(isUp ? live[kind] : 0, limit[kind])}</span>
        </p>
      ))}
    </section>
  )
}

function Facts({ machine, now }: { machine: WorkerStatus; now: number }) {
  const { machineId, state, report, startedAt, seenAt, queued } = machine
  const isUp = state === 'up'
  const facts: [name: string, value: ReactNode][] = [
    [words.facts.disk, report ? bytes(report.freeDiskBytes) : words.unknown],
    [words.facts.queued, queued],
    [words.facts.up, isUp ? duration(startedAt, null, now) : words.unknown],
    [words.facts.seen, isUp ? null : dateAndTime(seenAt)],
    [words.facts.keepers, report?.workspaces.length ?? words.unknown],
    [words.facts.isolation, report?.isolation ? words.isolation[report.isolation] : words.unknown],
    [words.facts.process, isUp && report ? report.pid : words.unknown],
    [words.facts.version, report?.version ?? words.unknown],
    [words.facts.id, <code key="id">{machineId}</code>],
  ]
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-small">
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name} className="contents">
              <dt className="text-mute">{name}</dt>
              <dd className="wrap-anywhere tabular-nums">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
