import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useId } from 'react'
import type { ReactNode } from 'react'
import { roomApi } from '../../room-api.ts'
import { codeStrings } from '../../strings/code.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/menu.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { toolApi } from '../tool/tool-api.ts'
import { summaryOf } from './reach.ts'
import type { Reach } from './reach.ts'

const words = codeStrings.reach
const none = 'none'

interface Props {
  reach: Reach
  onChange: (reach: Reach) => void
}

/** What the code may reach: nothing that is not named here. */
export function ReachChooser(props: Props) {
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button className="min-w-0 shrink!">
          <span className="truncate">{words.button(summaryOf(props.reach))}</span>
          <ChevronDown size={14} className="shrink-0 text-mute" aria-hidden />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={words.title}
          className="z-60 flex max-h-(--radix-popover-content-available-height) w-100 max-w-[calc(100vw-16px)] flex-col gap-4 overflow-y-auto rounded-control border border-edge bg-panel p-3 shadow-float"
        >
          <Tools {...props} />
          <Lines
            label={words.network}
            hint={words.networkHint}
            value={props.reach.hosts}
            onChange={(hosts) => props.onChange({ ...props.reach, hosts })}
          />
          <Files {...props} />
          <Tick
            isOn={props.reach.isReal}
            onChange={(isReal) => props.onChange({ ...props.reach, isReal })}
            hint={words.timeHint}
          >
            {words.time}
          </Tick>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Tools({ reach, onChange }: Props) {
  const name = useId()
  const { data } = useQuery({ queryKey: ['tools'], queryFn: ({ signal }) => toolApi.tools(signal) })
  const namespaces = Object.keys(data?.namespaces ?? {})
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-semibold">{words.tools}</legend>
      {(['all', 'some', 'none'] as const).map((which) => (
        <label key={which} className="flex items-center gap-2">
          <input
            type="radio"
            name={name}
            className="accent-(--text)"
            checked={reach.tools === which}
            onChange={() => onChange({ ...reach, tools: which })}
          />
          {{ all: words.all, some: words.some, none: words.noTools }[which]}
        </label>
      ))}
      {reach.tools === 'some' && (
        <div className="grid grid-cols-2 gap-x-3 gap-y-1 ps-5">
          {namespaces.map((each) => (
            <Tick
              key={each}
              isOn={reach.sources.includes(each)}
              onChange={(isOn) =>
                onChange({
                  ...reach,
                  sources: isOn ? [...reach.sources, each] : reach.sources.filter((other) => other !== each),
                })
              }
            >
              <bdi>{each}</bdi>
            </Tick>
          ))}
        </div>
      )}
    </fieldset>
  )
}

function Files({ reach, onChange }: Props) {
  const { data } = useQuery({
    queryKey: ['sessions', 'to run code in'],
    queryFn: async ({ signal }) => (await roomApi.sessions({ pageSize: 20 }, signal)).data,
  })
  const sessions = data ?? []
  const chosen = sessions.find(({ id }) => id === reach.sessionId)
  return (
    <div className="flex flex-col items-start gap-1">
      <Lines
        label={words.files}
        hint={words.filesHint}
        value={reach.paths}
        onChange={(paths) => onChange({ ...reach, paths })}
      />
      <Choices
        label={words.session}
        value={chosen?.id ?? none}
        choices={[
          { value: none, label: words.noSession },
          ...sessions.map(({ id, title }) => ({ value: id, label: <bdi className="truncate">{title}</bdi> })),
        ]}
        onChoose={(id) => onChange({ ...reach, sessionId: id === none ? null : id })}
      >
        <Button look="quiet" className="-ms-2.5 max-w-full min-w-0">
          <bdi className="truncate">{chosen ? `${words.session} ${chosen.title}` : words.noSession}</bdi>
          <ChevronDown size={14} className="shrink-0 text-mute" aria-hidden />
        </Button>
      </Choices>
    </div>
  )
}

interface LinesProps {
  label: string
  hint: string
  value: string
  onChange: (value: string) => void
}

const Lines = ({ label, hint, value, onChange }: LinesProps) => (
  <label className="flex w-full flex-col gap-1">
    <span className="font-semibold">{label}</span>
    <textarea
      dir="ltr"
      rows={1}
      className={`${fieldLook} field-sizing-content max-h-40 resize-none font-mono text-small`}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
    <span className="text-small text-mute">{hint}</span>
  </label>
)

interface TickProps {
  isOn: boolean
  onChange: (isOn: boolean) => void
  hint?: string
  children: ReactNode
}

const Tick = ({ isOn, onChange, hint, children }: TickProps) => (
  <label className="flex items-baseline gap-2">
    <input
      type="checkbox"
      className="accent-(--text)"
      checked={isOn}
      onChange={(event) => onChange(event.target.checked)}
    />
    <span>
      {children}
      {hint && <span className="block text-small text-mute">{hint}</span>}
    </span>
  </label>
)
