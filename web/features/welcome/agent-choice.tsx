import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Preset } from '../../../src/contract/preset.ts'
import { strings } from '../../strings/page.ts'
import { welcomeStrings as words } from '../../strings/welcome.ts'
import { Button } from '../../ui/button.tsx'
import { Signal } from '../../ui/signal.tsx'
import { isReady } from './ready-agents.ts'
import { Choice, choicesLook } from './step.tsx'

interface Props {
  presets: UseQueryResult<Preset[]>
  chosen: string | undefined
  onChoose: (key: string) => void
}

/** The agents that are on this machine, whether they could begin now, and the demo for whoever has none. */
export function AgentChoice({ presets: { data, error, isFetching, refetch }, chosen, onChoose }: Props) {
  if (!data && error)
    return (
      <p role="alert" className="flex flex-wrap items-center gap-3">
        {words.notFound}: {error.message}
        <Button onClick={() => void refetch()}>{strings.retry}</Button>
      </p>
    )
  if (!data)
    return (
      <output className="block text-mute" style={{ minBlockSize: 120 }}>
        {words.looking}
      </output>
    )
  const missing = data.filter(({ installed }) => !installed)
  return (
    <>
      <div role="radiogroup" aria-label={words.who} className={choicesLook}>
        {data
          .filter(({ installed }) => installed)
          .map((preset) => (
            <Choice
              key={preset.key}
              name="agent"
              value={preset.key}
              isChosen={preset.key === chosen}
              isDisabled={!isReady(preset)}
              onChoose={onChoose}
            >
              <Standing preset={preset} />
            </Choice>
          ))}
      </div>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-1 text-small text-mute">
        {missing.length > 0 && (
          <details className="min-w-0">
            <summary className="cursor-pointer hover:text-text">{words.notInstalled(missing.length)}</summary>
            <dl className="pt-1">
              {missing.map(({ key, name, install }) => (
                <div key={key} className="flex flex-wrap items-baseline gap-2 py-0.5">
                  <dt>{name}</dt>
                  <dd>
                    <Command>{install}</Command>
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        )}
        <button
          type="button"
          className="underline hover:text-text disabled:opacity-50"
          disabled={isFetching}
          onClick={() => void refetch()}
        >
          {words.lookAgain}
        </button>
        <Link to="/agents" className="underline hover:text-text">
          {words.more}
        </Link>
      </div>
    </>
  )
}

function Standing({ preset }: { preset: Preset }) {
  const { key, name, version, leastVersion, tooOld, trouble, login } = preset
  if (key === 'demo')
    return (
      <>
        <span className="flex items-center gap-2 font-medium">
          {words.demo}
          <span className="rounded-small border border-edge px-1 text-tiny text-soft uppercase">
            {words.isDemo}
          </span>
        </span>
        <span className="block text-small text-soft">{words.demoText}</span>
      </>
    )
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2.5">
        <span className="font-medium">{name}</span>
        {version && <span className="text-small text-mute tabular-nums">{version}</span>}
        <span className="ms-auto text-small text-soft">
          <Signal
            aspect={isReady(preset) ? 'idle' : 'stopped'}
            word={trouble || tooOld ? words.ready.no : words.ready[login.state]}
          />
        </span>
      </span>
      {tooOld && <Line>{words.tooOld(version ?? '', leastVersion)}</Line>}
      {trouble && <Line>{trouble}</Line>}
      {!tooOld && !trouble && login.state === 'no' && (
        <Line>
          {words.loginWith} {login.how}
        </Line>
      )}
    </>
  )
}

const Line = ({ children }: { children: ReactNode }) => (
  <span className="block text-small wrap-anywhere text-soft">{children}</span>
)
const Command = ({ children }: { children: string }) => (
  <code dir="ltr" className="rounded-small bg-raise px-1 font-mono text-tiny text-soft select-all">
    {children}
  </code>
)
