import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { agentStrings } from '../../strings/agent.ts'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FoundSection } from '../discovery/found-section.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { AgentList } from './agent-list.tsx'
import { AgentWindow } from './agent-window.tsx'
import { Presets } from './presets.tsx'
import { RunWindow } from './run-window.tsx'

/** Who can be asked to work, and who could be. */
export default function AgentsPage() {
  const words = agentStrings
  const isOwner = useStore(session, (key) => key?.principal.kind === 'owner')
  const { data, error, refetch } = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => api.agents(signal),
  })
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const [running, setRunning] = useState<string | null>(null)
  const [opened, setOpened] = useState<string | null>(null)
  const openedAgent = data?.find(({ id }) => id === opened)
  const runningAgent = data?.find(({ id }) => id === running)
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
        <div ref={setScroller} className="min-h-0 grow overflow-y-auto px-5.5 pt-1 max-sm:px-4">
          <div className="flex flex-col gap-8 pb-20">
            <Section title={words.registered}>
              {data.length === 0 && (
                <p className="max-w-160 py-2 text-soft">{isOwner ? words.none : words.noneForUsers}</p>
              )}
              <AgentList agents={data} onRun={setRunning} onOpen={setOpened} />
            </Section>
            {isOwner && (
              <Section title={words.known} hint={words.knownHint}>
                <Presets agents={data} />
              </Section>
            )}
            {isOwner && <FoundSection scroller={scroller} onRun={setRunning} />}
          </div>
        </div>
      )}
      {openedAgent && (
        <AgentWindow
          key={openedAgent.id}
          agent={openedAgent}
          isOwner={isOwner}
          onClose={() => setOpened(null)}
        />
      )}
      {runningAgent && (
        <RunWindow key={runningAgent.id} agent={runningAgent} onClose={() => setRunning(null)} />
      )}
    </>
  )
}
