import { useState } from 'react'
import type { CheckedProvider } from '../../../src/contract/model.ts'
import { chatStrings } from '../../strings/chat.ts'
import { Button } from '../../ui/button.tsx'
import { Signal } from '../../ui/signal.tsx'
import { lookAgain, useChecked } from './models.ts'

const words = chatStrings.noKey

/** What is shown where no model can be asked: what is missing, by its name, and the way to look again. */
export function NoModels({ machineId }: { machineId: string | null }) {
  const { data, error } = useChecked(machineId)
  const [isLooking, setLooking] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const look = async () => {
    setLooking(true)
    setProblem(null)
    await lookAgain(machineId).catch((failure: Error) => setProblem(failure.message))
    setLooking(false)
  }
  const told = problem ?? error?.message
  return (
    <div data-no-models className="flex min-h-0 flex-col gap-2 overflow-y-auto px-4 pb-4">
      <h2 className="font-semibold">{words.title}</h2>
      <p className="text-soft">{words.text}</p>
      <ul className="border-t border-line">
        {data?.providers.map((provider) => (
          <Provider key={provider.provider} checked={provider} />
        ))}
      </ul>
      {told && (
        <p role="alert" className="wrap-anywhere text-stop">
          {told}
        </p>
      )}
      <Button look="main" className="self-start" disabled={isLooking} onClick={() => void look()}>
        {isLooking ? words.checking : words.check}
      </Button>
    </div>
  )
}

function Provider({
  checked: { provider, status, reason, variables, models },
}: {
  checked: CheckedProvider
}) {
  const isHere = status === 'available'
  return (
    <li data-provider={provider} className="flex flex-col gap-0.5 border-b border-line py-2">
      <span className="flex flex-wrap items-baseline gap-x-2">
        <Signal
          aspect={isHere ? 'done' : status === 'unconfigured' ? 'idle' : 'stopped'}
          word={chatStrings.provider[provider]}
        />
        {variables.map((name) => (
          <code key={name} className="font-mono text-small select-all">
            {name}
          </code>
        ))}
      </span>
      <span className="text-small text-mute wrap-anywhere">{isHere ? words.works(models) : reason}</span>
    </li>
  )
}
