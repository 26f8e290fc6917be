import { Command } from 'cmdk'
import { Check, ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import type { AvailableModel } from '../../../src/contract/model.ts'
import { chatStrings } from '../../strings/chat.ts'
import { Button } from '../../ui/button.tsx'
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
const row =
  'flex items-center gap-2 rounded-small px-2 py-1.5 data-[selected=true]:bg-raise max-sm:py-2.5 data-[disabled=true]:opacity-50'

/** Which model answers: those that can be asked now, those that cannot with why, or any by its name. */
export function ModelPicker({ value, onChoose, machineId, isDisabled = false, shown }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { data } = useModels(machineId)
  const name = value ?? shown ?? data?.default
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
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
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={words.choose}
          className="z-60 flex max-h-[min(26rem,var(--radix-popover-content-available-height))] w-110 max-w-[calc(100vw-16px)] flex-col overflow-hidden rounded-control border border-edge bg-panel shadow-float"
        >
          <List
            value={value}
            machineId={machineId}
            onChoose={(model) => {
              setOpen(false)
              if (model !== value) onChoose(model)
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function List({ value, onChoose, machineId }: Pick<Props, 'value' | 'onChoose' | 'machineId'>) {
  const [text, setText] = useState('')
  const { data, error } = useModels(machineId)
  const wanted = text.trim().toLowerCase()
  const models = (data?.models ?? []).filter(({ name }) => name.toLowerCase().includes(wanted))
  const isOther =
    wanted !== '' && !data?.models.some(({ name, model }) => name === wanted || model === wanted)
  return (
    <Command shouldFilter={false} loop label={words.choose} className="flex min-h-0 flex-col">
      <Command.Input
        value={text}
        maxLength={200}
        onValueChange={setText}
        placeholder={words.find}
        className="h-9 shrink-0 border-b border-line bg-transparent px-3 outline-none max-sm:text-[16px]"
      />
      <Command.List className="min-h-0 overflow-y-auto p-1">
        {!data && !error && <p className="px-2 py-1.5 text-mute">{words.asking}</p>}
        {error && <p className="px-2 py-1.5 text-stop wrap-anywhere">{words.failed(error.message)}</p>}
        {data?.default && wanted === '' && (
          <Command.Item value="default" className={row} onSelect={() => onChoose(null)}>
            <bdi className="truncate">{words.defaultIs(data.default)}</bdi>
            {value === null && <Check size={14} className="ms-auto shrink-0" aria-hidden />}
          </Command.Item>
        )}
        {models.map((model) => (
          <Model key={model.name} model={model} isChosen={model.name === value} onChoose={onChoose} />
        ))}
        {isOther && (
          <Command.Item value="other" className={row} onSelect={() => onChoose(text.trim())}>
            <bdi className="truncate">{words.named(text.trim())}</bdi>
          </Command.Item>
        )}
        {wanted === '' && <NotHere machineId={machineId} />}
      </Command.List>
      {data && <Age at={data.checkedAt} machineId={machineId} />}
    </Command>
  )
}

interface ModelProps {
  model: AvailableModel
  isChosen: boolean
  onChoose: (model: string) => void
}

function Model({ model, isChosen, onChoose }: ModelProps) {
  return (
    <Command.Item
      value={model.name}
      data-model-choice={model.name}
      className={row}
      onSelect={() => onChoose(model.name)}
    >
      <span className="min-w-0">
        <bdi className="block truncate">{model.name}</bdi>
        <span className="block truncate text-small text-mute tabular-nums">{factsOf(model)}</span>
      </span>
      {isChosen && <Check size={14} className="ms-auto shrink-0" aria-hidden />}
    </Command.Item>
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
