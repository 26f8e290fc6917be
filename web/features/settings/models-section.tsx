import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CheckedProvider } from '../../../src/contract/model.ts'
import { queryClient } from '../../query-client.ts'
import { settingsStrings as words } from '../../strings/settings.ts'
import { Button } from '../../ui/button.tsx'
import { milliseconds } from '../../ui/moments.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { ago } from '../../ui/time.ts'
import { Reading } from './reading.tsx'
import { settingsApi } from './settings-api.ts'
import { told } from './told.ts'

const queryKey = ['models', 'check']

/** Whether each provider can be asked: who gave its key, and what to do where there is none. */
export default function ModelsSection() {
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => settingsApi.checkModels(false, signal),
    staleTime: 30_000,
  })
  const [isChecking, setChecking] = useState(false)
  const again = async () => {
    setChecking(true)
    await told(async () => queryClient.setQueryData(queryKey, await settingsApi.checkModels(true)))
    setChecking(false)
  }
  if (!data) return <Reading error={error} again={refetch} />
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 border-b border-line pb-3">
        <p className="min-w-0 grow">
          {data.default ? (
            <>
              {words.asksByDefault} <bdi className="font-medium">{data.default}</bdi>
            </>
          ) : (
            words.noDefault
          )}
          {data.reason && <span className="block text-small wrap-anywhere text-soft">{data.reason}</span>}
        </p>
        <span className="text-small text-mute">{words.checkedAgo(ago(data.checkedAt))}</span>
        <Button disabled={isChecking} onClick={() => void again()}>
          {isChecking ? words.checking : words.checkAgain}
        </Button>
      </div>
      <ul>
        {data.providers.map((one) => (
          <ProviderRow key={one.provider} one={one} />
        ))}
      </ul>
    </>
  )
}

const aspects = {
  available: 'done',
  unconfigured: 'off',
  unauthorized: 'stopped',
  unreachable: 'stopped',
  failed: 'stopped',
} as const satisfies Record<CheckedProvider['status'], Aspect>

function ProviderRow({ one }: { one: CheckedProvider }) {
  const { provider, status, reason, variables, keySource, baseUrl, models, model, latencyMs } = one
  const [keyVariable = ''] = variables
  const key = keySource
    ? words.keyFrom[keySource](keyVariable)
    : status === 'unconfigured'
      ? provider === 'compatible'
        ? words.addressMissing
        : words.keyMissing
      : words.keyNotNeeded
  const facts = [
    ...(status === 'available' ? [words.models(models)] : []),
    ...(model && status !== 'unconfigured' ? [model] : []),
    ...(latencyMs === null || status !== 'available' ? [] : [words.answeredIn(milliseconds(latencyMs))]),
  ]
  return (
    <li
      data-provider={provider}
      className="flex flex-wrap items-start gap-x-4 gap-y-1.5 border-b border-line py-2.5"
    >
      <div className="min-w-0 grow basis-70">
        <p className="font-medium">{words.provider[provider]}</p>
        <p className="text-small text-mute">{key}</p>
        {baseUrl && (
          <p className="text-small text-mute">
            {words.askedAt}{' '}
            <bdi dir="ltr" className="font-mono text-tiny">
              {baseUrl}
            </bdi>
          </p>
        )}
        {facts.length > 0 && <p className="text-small text-mute">{facts.join(' · ')}</p>}
        {reason && status !== 'unconfigured' && (
          <p className="text-small wrap-anywhere text-stop">{reason}</p>
        )}
        {status === 'unconfigured' && (
          <p className="mt-1 text-small text-soft">
            {words.howToSet(needed(one))}
            <code
              dir="ltr"
              className="mt-1 block w-fit max-w-full overflow-x-auto rounded-control border border-line bg-ground px-2 py-1 font-mono select-all"
            >
              {example(one)}
            </code>
          </p>
        )}
      </div>
      <span className="text-small text-soft">
        <Signal
          aspect={aspects[status]}
          word={
            status === 'unconfigured' && provider === 'compatible'
              ? words.noAddress
              : words.modelStatus[status]
          }
        />
      </span>
    </li>
  )
}

const needed = ({ provider, variables }: CheckedProvider): string =>
  variables.find((name) => provider !== 'compatible' || name.endsWith('BASE_URL')) ?? ''

const example = (one: CheckedProvider): string =>
  `${needed(one)}=${one.provider === 'compatible' ? 'http://127.0.0.1:11434/v1' : '…'} npm start`
