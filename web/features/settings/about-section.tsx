import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { settingsStrings } from '../../strings/settings.ts'
import { bytes } from '../../ui/bytes.ts'
import { dateAndTime } from '../../ui/time.ts'
import { Group } from './group.tsx'
import { Reading } from './reading.tsx'
import { settingsApi } from './settings-api.ts'

const words = settingsStrings.aboutWords
const documents = [
  'access',
  'agents',
  'approvals',
  'chat',
  'code-mode',
  'configuration',
  'discovery',
  'models',
  'sockets',
  'terminal',
  'tools',
  'workspaces',
]

export default function AboutSection() {
  const { data, error, refetch } = useQuery({
    queryKey: ['about'],
    queryFn: ({ signal }) => settingsApi.about(signal),
    staleTime: 10_000,
  })
  if (!data) return <Reading error={error} again={refetch} />
  const { database } = data
  const what =
    database.kind === 'embedded'
      ? words.embedded(database.version)
      : words.outside(database.version, database.name)
  const facts = words.databaseFacts(bytes(database.bytes), dateAndTime(database.since), database.migration)
  return (
    <>
      <dl className="mb-8 border-t border-line">
        <Fact name={words.version}>{data.version}</Fact>
        <Fact name={words.node}>{data.node}</Fact>
        <Fact name={words.home} isPath>
          {data.home}
        </Fact>
        <Fact name={words.configFile} isPath={data.configFile !== null}>
          {data.configFile ?? words.noConfigFile}
        </Fact>
        <Fact name={words.logs} isPath>
          {data.logs}
        </Fact>
        <Fact name={words.folders} isPath>
          {data.allowedWorkingDirs.join('\n')}
        </Fact>
        {data.publicUrl && <Fact name={words.publicUrl}>{data.publicUrl}</Fact>}
        <Fact name={words.machine} isPath>
          {data.machineId}
        </Fact>
        <Fact name={words.database}>
          {what}
          <span className="block text-small text-mute">{facts}</span>
        </Fact>
      </dl>
      <Group title={words.docs} hint={words.docsHint}>
        <ul className="columns-2 pt-2 font-mono text-small max-sm:columns-1" dir="ltr">
          {documents.map((name) => (
            <li key={name} className="py-0.5 select-all">
              docs/{name}.md
            </li>
          ))}
        </ul>
        <p className="pt-3 text-small">
          <a href="/api/health" target="_blank" rel="noreferrer" className="underline">
            {words.health}
          </a>{' '}
          <span className="text-mute">{words.healthHint}</span>
        </p>
      </Group>
    </>
  )
}

function Fact({ name, isPath = false, children }: { name: string; isPath?: boolean; children: ReactNode }) {
  return (
    <div className="grid min-h-10 grid-cols-[160px_minmax(0,1fr)] items-baseline gap-3 border-b border-line py-2 max-sm:grid-cols-1 max-sm:gap-0.5">
      <dt className="text-mute">{name}</dt>
      <dd
        dir={isPath ? 'ltr' : undefined}
        className={`wrap-anywhere whitespace-pre-line ${isPath ? 'font-mono text-small' : ''}`}
      >
        {children}
      </dd>
    </div>
  )
}
