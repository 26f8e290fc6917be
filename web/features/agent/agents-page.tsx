import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { roomStrings } from '../../room-strings.ts'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { strings } from '../../strings.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'
import { Empty } from '../board/empty.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { AgentRow } from './agent-row.tsx'
import { Presets } from './presets.tsx'

/** Who can be asked to work, and who could be. */
export default function AgentsPage() {
  const words = roomStrings.agents
  const isOwner = useStore(session, (key) => key?.principal.kind === 'owner')
  const { data, error, refetch } = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => api.agents(signal),
  })
  return (
    <>
      <PageHead title={words.heading} />
      {!data && !error && (
        <output className="animate-appear-late px-5.5 py-2 text-mute max-sm:px-4">{strings.loading}</output>
      )}
      {!data && error && (
        <Empty title={words.failed} text={error.message}>
          <Button onClick={() => void refetch()}>{strings.retry}</Button>
        </Empty>
      )}
      {data && (
        <div className="flex min-h-0 grow flex-col gap-8 overflow-y-auto px-5.5 pt-1 pb-20 max-sm:px-4">
          <Section title={words.registered}>
            {data.length === 0 && (
              <p className="max-w-160 py-2 text-soft">{isOwner ? words.none : words.noneForUsers}</p>
            )}
            <ul>
              {data.map((agent) => (
                <AgentRow key={agent.id} agent={agent} />
              ))}
            </ul>
          </Section>
          {isOwner && (
            <Section title={words.known} hint={words.knownHint}>
              <Presets agents={data} />
            </Section>
          )}
        </div>
      )}
    </>
  )
}
