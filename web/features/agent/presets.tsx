import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Preset } from '../../../src/contract/preset.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { agentStrings } from '../../strings/agent.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Signal } from '../../ui/signal.tsx'
import { toast } from '../../ui/toast.tsx'

const words = agentStrings

/** The coding agents that are known by name, as they are on this machine right now. */
export function Presets({ agents }: { agents: readonly Agent[] }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['presets'],
    queryFn: ({ signal }) => roomApi.presets(signal),
    staleTime: 0,
  })
  if (!data && error)
    return (
      <p className="flex items-center gap-3 py-2">
        {words.unknown}: {error.message}
        <Button onClick={() => void refetch()}>{strings.retry}</Button>
      </p>
    )
  if (!data)
    return (
      <output className="block py-2 text-mute" style={{ minBlockSize: 196 }}>
        {words.looking}
      </output>
    )
  return (
    <ul>
      {data.map((preset) => (
        <PresetRow
          key={preset.key}
          preset={preset}
          isAdded={agents.some((agent) => agent.preset === preset.key)}
        />
      ))}
    </ul>
  )
}

function PresetRow({ preset, isAdded }: { preset: Preset; isAdded: boolean }) {
  const [isAdding, setAdding] = useState(false)
  const { key, name, installed, tooOld } = preset
  const add = async () => {
    setAdding(true)
    try {
      await roomApi.addAgent(key)
      toast(words.wasAdded(name))
      await queryClient.invalidateQueries({ queryKey: ['agents'] })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      toast(words.notAdded(name, reason), { isProblem: true })
    } finally {
      setAdding(false)
    }
  }
  return (
    <li data-preset={key} className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <div className="min-w-0 grow">
        <p className="font-medium">{name}</p>
        <Standing preset={preset} />
      </div>
      {isAdded && (
        <span className="text-small text-soft">
          <Signal aspect="done" word={words.added} />
        </span>
      )}
      {!isAdded && installed && !tooOld && (
        <Button look="main" aria-label={words.addOne(name)} disabled={isAdding} onClick={() => void add()}>
          {isAdding ? words.adding : words.add}
        </Button>
      )}
    </li>
  )
}

/** What is there, and what is to be done about what is not. */
function Standing({ preset }: { preset: Preset }) {
  const { installed, tooOld, version, leastVersion, trouble, login, install } = preset
  if (!installed)
    return (
      <Line>
        {words.notInstalled}. {words.installWith} <Command>{install}</Command>
      </Line>
    )
  if (tooOld)
    return (
      <Line>
        {words.tooOld(version ?? '', leastVersion)}. {words.updateWith} <Command>{install}</Command>
      </Line>
    )
  return (
    <Line>
      {version && <span className="me-2 tabular-nums">{version}</span>}
      {trouble && <span className="me-2 text-stop">{trouble}</span>}
      {words.login[login.state]}: <bdi>{login.how}</bdi>
    </Line>
  )
}

const Line = ({ children }: { children: ReactNode }) => (
  <p className="text-small wrap-anywhere text-mute">{children}</p>
)
const Command = ({ children }: { children: ReactNode }) => (
  <code dir="ltr" className="rounded-small bg-raise px-1 font-mono text-tiny text-soft select-all">
    {children}
  </code>
)
