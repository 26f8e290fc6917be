import { useQuery } from '@tanstack/react-query'
import { strings } from '../../strings/page.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Section } from '../../ui/section.tsx'
import { SourceRow } from './source-row.tsx'
import { toolApi } from './tool-api.ts'
import { ToolList } from './tool-list.tsx'

/** Where tools come from and how that is, and what they offer. */
export function SourcesView({ isOwner }: { isOwner: boolean }) {
  const sources = useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => toolApi.sources(signal),
    refetchInterval: 3_000,
  })
  const tools = useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => toolApi.tools(signal),
    refetchInterval: 5_000,
  })
  const error = tools.error ?? sources.error
  if (sources.data && tools.data)
    return (
      <div className="flex min-h-0 grow flex-col gap-8 overflow-y-auto px-5.5 pt-1 pb-20 max-sm:px-4">
        <Section title={words.sources} hint={words.sourcesHint}>
          {sources.data.length === 0 && <p className="max-w-160 py-2 text-soft">{words.noSources}</p>}
          <ul>
            {sources.data.map((source) => (
              <SourceRow key={source.id} source={source} isOwner={isOwner} />
            ))}
          </ul>
        </Section>
        <ToolList listing={tools.data} isOwner={isOwner} />
      </div>
    )
  if (!error)
    return (
      <output className="animate-appear-late px-5.5 py-2 text-mute max-sm:px-4">{strings.loading}</output>
    )
  return (
    <Empty title={words.failed} text={error.message}>
      <Button onClick={() => void Promise.all([sources.refetch(), tools.refetch()])}>{strings.retry}</Button>
    </Empty>
  )
}
