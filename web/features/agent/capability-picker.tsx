import { Command } from 'cmdk'
import { Check, ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import type { Capability } from '../../../src/contract/capability.ts'
import { discoveryStrings } from '../../strings/discovery.ts'
import { Button } from '../../ui/button.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { DangerMark } from '../discovery/danger-mark.tsx'
import { fittingCapabilities } from './fitting-capabilities.ts'

const words = discoveryStrings.run
/** More than anybody reads through: whoever wants another one writes a bit of its name. */
const mostShown = 60
const manyCapabilities = 8

interface Props {
  capabilities: Capability[]
  value: Capability
  onChoose: (capability: Capability) => void
}

/** Which of a program's commands; nothing to choose where there is only one. */
export function CapabilityPicker({ capabilities, value, onChoose }: Props) {
  // Of many nobody means the first: they begin with looking for one.
  const [isOpen, setOpen] = useState(capabilities.length > manyCapabilities)
  if (capabilities.length === 1) return null
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button
          data-capability={value.key}
          aria-label={`${words.what}: ${value.label}`}
          className="max-w-full min-w-0 self-start"
        >
          <Label label={value.label} />
          <ChevronDown size={14} className="shrink-0 text-mute" aria-hidden />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={words.what}
          className="z-60 flex max-h-[min(26rem,var(--radix-popover-content-available-height))] w-110 max-w-[calc(100vw-16px)] flex-col overflow-hidden rounded-control border border-edge bg-panel shadow-float"
        >
          <List
            capabilities={capabilities}
            value={value}
            onChoose={(chosen) => {
              setOpen(false)
              onChoose(chosen)
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function List({ capabilities, value, onChoose }: Props) {
  const [text, setText] = useState('')
  const fitting = fittingCapabilities(capabilities, text)
  return (
    <Command shouldFilter={false} loop label={words.what} className="flex min-h-0 flex-col">
      <Command.Input
        value={text}
        maxLength={200}
        onValueChange={setText}
        placeholder={words.find}
        className="h-9 shrink-0 border-b border-line bg-transparent px-3 outline-none max-sm:text-[16px]"
      />
      <Command.List className="min-h-0 overflow-y-auto p-1">
        {fitting.length === 0 && <p className="px-2 py-1.5 text-mute">{words.nothing}</p>}
        {fitting.slice(0, mostShown).map((each) => (
          <Command.Item
            key={each.id}
            value={each.id}
            data-capability-choice={each.key}
            className="flex items-center gap-3 rounded-small px-2 py-1.5 data-[selected=true]:bg-raise max-sm:py-2.5"
            onSelect={() => onChoose(each)}
          >
            <Label label={each.label} />
            <span className="ms-auto flex shrink-0 items-center gap-3 text-tiny">
              {each.dangerLevel >= 1 && <DangerMark level={each.dangerLevel} />}
              {each.id === value.id && <Check size={14} aria-hidden />}
            </span>
          </Command.Item>
        ))}
        {fitting.length > mostShown && (
          <p className="px-2 py-1.5 text-small text-mute">{words.moreFit(fitting.length - mostShown)}</p>
        )}
      </Command.List>
    </Command>
  )
}

/** `git push: Update remote refs` is a command and what it is for. */
function Label({ label }: { label: string }) {
  const [command = '', about = ''] = visibleText(label).split(/: (.*)/s)
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <bdi dir="ltr" className="shrink-0 font-mono text-small">
        {command}
      </bdi>
      <bdi className="truncate text-small text-mute">{about}</bdi>
    </span>
  )
}
