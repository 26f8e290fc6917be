import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { chatStrings } from '../../strings/chat.ts'
import { Button } from '../../ui/button.tsx'
import { Finder, FinderNote, FinderRow } from '../../ui/finder.tsx'
import { ago } from '../../ui/time.ts'
import { factsOf, lookAgain, useChecked, useModels } from './models.ts'

interface Props {
  /** Null for the default. */
  value: string | null
  onChoose: (model: string | null) => void
  /** Whose keys are used. */
  machineId: string | null
  isDisabled?: boolean
  /** What it really is, where that is known. */
  shown?: string | undefined
}

const words = chatStrings.model

/** Which model answers: those that can be asked now, those that cannot with why, or any by its name. */
export function ModelPicker({ value, onChoose, machineId, isDisabled = false, shown }: Props) {
  const { data } = useModels(machineId)
  const name = value ?? shown ?? data?.default
  return (
    <Finder
      label={words.choose}
      placeholder={words.find}
      renderRows={(text, choose) => (
        <Models
          text={text.trim()}
          value={value}
          machineId={machineId}
          onChoose={(model) => choose(() => model !== value && onChoose(model))}
        />
      )}
      foot={data && <Age at={data.checkedAt} machineId={machineId} />}
    >
      <Button
        data-model={name}
        aria-label={`${words.choose}: ${name ?? words.none}`}
        title={isDisabled ? words.whenDone : undefined}
        disabled={isDisabled}
        className="max-w-full min-w-0 shrink!"
      >
        <bdi className="truncate">{name ?? words.none}</bdi>
        <ChevronDown size={14} className="shrink-0 text-mute" aria-hidden />
      </Button>
    </Finder>
  )
}

function Models({
  text,
  value,
  onChoose,
  machineId,
}: Pick<Props, 'value' | 'onChoose' | 'machineId'> & { text: string }) {
  const { data, error } = useModels(machineId)
  const wanted = text.toLowerCase()
  const models = (data?.models ?? []).filter(({ name }) => name.toLowerCase().includes(wanted))
  const isOther =
    wanted !== '' && !data?.models.some(({ name, model }) => name === wanted || model === wanted)
  return (
    <>
      {!data && !error && <FinderNote>{words.asking}</FinderNote>}
      {error && <FinderNote isProblem>{words.failed(error.message)}</FinderNote>}
      {data?.default && wanted === '' && (
        <FinderRow value="default" isChosen={value === null} onSelect={() => onChoose(null)}>
          <bdi className="truncate">{words.defaultIs(data.default)}</bdi>
        </FinderRow>
      )}
      {models.map((model) => (
        <FinderRow
          key={model.name}
          value={model.name}
          data-model-choice={model.name}
          isChosen={model.name === value}
          onSelect={() => onChoose(model.name)}
        >
          <span className="min-w-0">
            <bdi className="block truncate">{model.name}</bdi>
            <span className="block truncate text-small text-mute tabular-nums">{factsOf(model)}</span>
          </span>
        </FinderRow>
      ))}
      {isOther && (
        <FinderRow value="other" onSelect={() => onChoose(text)}>
          <bdi className="truncate">{words.named(text)}</bdi>
        </FinderRow>
      )}
      {wanted === '' && <NotHere machineId={machineId} />}
    </>
  )
}

/** Providers that cannot be asked, and why. */
function NotHere({ machineId }: Pick<Props, 'machineId'>) {
  const providers = useChecked(machineId).data?.providers.filter(({ status }) => status !== 'available') ?? []
  if (providers.length === 0) return null
  return (
    <div className="mt-1 border-t border-line px-2 pt-1.5 pb-1 text-small text-mute">
      <p>{words.notHere}</p>
      {providers.map(({ provider, reason }) => (
        <p key={provider} data-provider={provider} className="pt-0.5 wrap-anywhere">
          <span className="text-soft">{chatStrings.provider[provider]}</span> {reason}
        </p>
      ))}
    </div>
  )
}

function Age({ at, machineId }: Pick<Props, 'machineId'> & { at: string }) {
  const [isLooking, setLooking] = useState(false)
  const look = () => {
    setLooking(true)
    void lookAgain(machineId)
      .catch(() => undefined) // what is known stays, and its age tells
      .finally(() => setLooking(false))
  }
  return (
    <div className="flex shrink-0 items-center border-t border-line ps-3 pe-1 text-small text-mute">
      {isLooking ? words.asking : words.age(ago(at))}
      <Button look="quiet" className="ms-auto" disabled={isLooking} onClick={look}>
        {words.fresh}
      </Button>
    </div>
  )
}
