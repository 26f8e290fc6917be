import { Link } from '@tanstack/react-router'
import { session } from '../../session.ts'
import { executionStrings } from '../../strings/execution.ts'
import { bytes } from '../../ui/bytes.ts'
import { useAgentName } from '../agent/agent-name.ts'
import type { KnownExecution } from './execution-list.ts'
import { Fact, Moment } from './facts.tsx'
import { TaskTitle } from './task-title.tsx'
import { Took } from './took.tsx'

/** Everything that is known of an execution. Lines that do not apply are not there. */
export function Details({ execution }: { execution: KnownExecution }) {
  const words = executionStrings
  const { capabilityKey, args, prompt, taskId, createdBy, createdAt, startedAt, endedAt } = execution
  const { workerId, pid, exitCode, signal, logBytes, logLines, id } = execution
  return (
    <dl>
      <Fact name={words.capability}>
        <bdi className="font-mono text-small">{capabilityKey}</bdi>
      </Fact>
      {prompt && (
        <Fact name={words.prompt}>
          <bdi className="line-clamp-6 whitespace-pre-wrap">{prompt}</bdi>
        </Fact>
      )}
      {Object.entries(args ?? {}).map(([name, value]) => (
        <Fact key={name} name={name}>
          <bdi className="line-clamp-6 font-mono text-small whitespace-pre-wrap">{shown(value)}</bdi>
        </Fact>
      ))}
      {taskId && (
        <Fact name={words.task}>
          <Link
            to="/board"
            search={{ task: taskId }}
            className="underline decoration-edge underline-offset-2"
          >
            <TaskTitle id={taskId} />
          </Link>
        </Fact>
      )}
      <Fact name={words.by}>
        <Who id={createdBy} />
      </Fact>
      <Moment name={words.created} at={createdAt} />
      {startedAt && <Moment name={words.started} at={startedAt} />}
      {endedAt && <Moment name={words.ended} at={endedAt} />}
      {startedAt && (
        <Fact name={words.took}>
          <Took execution={execution} />
        </Fact>
      )}
      {exitCode !== null && <Fact name={words.exitCode}>{exitCode}</Fact>}
      {signal && <Fact name={words.signal}>{signal}</Fact>}
      {pid !== null && <Fact name={words.pid}>{pid}</Fact>}
      {workerId && (
        <Fact name={words.worker}>
          <bdi className="wrap-anywhere">{workerId}</bdi>
        </Fact>
      )}
      {logBytes > 0 && <Fact name={words.output}>{words.outputSize(bytes(logBytes), logLines)}</Fact>}
      <Fact name={words.id}>
        <span className="font-mono text-tiny wrap-anywhere text-soft select-all">{id}</span>
      </Fact>
    </dl>
  )
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function Who({ id }: { id: string }) {
  const me = session.get()?.principal
  const agentName = useAgentName()
  if (id === me?.id) return <bdi>{me.name}</bdi>
  return id === 'owner' ? executionStrings.owner : <bdi className="wrap-anywhere">{agentName(id) ?? id}</bdi>
}
