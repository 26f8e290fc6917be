import { ChevronDown } from 'lucide-react'
import type { Capability } from '../../../src/contract/capability.ts'
import { discoveryStrings } from '../../strings/discovery.ts'
import { Button } from '../../ui/button.tsx'
import { Finder, FinderNote, FinderRow } from '../../ui/finder.tsx'
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
  if (capabilities.length === 1) return null
  return (
    <Finder
      label={words.what}
      placeholder={words.find}
      startsOpen={capabilities.length > manyCapabilities}
      renderRows={(text, choose) => (
        <Fitting
          capabilities={fittingCapabilities(capabilities, text)}
          value={value}
          onChoose={(chosen) => choose(() => onChoose(chosen))}
        />
      )}
    >
      <Button
        data-capability={value.key}
        aria-label={`${words.what}: ${value.label}`}
        className="max-w-full min-w-0 self-start"
      >
        <Label label={value.label} />
        <ChevronDown size={14} className="shrink-0 text-mute" aria-hidden />
      </Button>
    </Finder>
  )
}

function Fitting({ capabilities, value, onChoose }: Props) {
  if (capabilities.length === 0) return <FinderNote>{words.nothing}</FinderNote>
  return (
    <>
      {capabilities.slice(0, mostShown).map((each) => (
        <FinderRow
          key={each.id}
          value={each.id}
          data-capability-choice={each.key}
          isChosen={each.id === value.id}
          onSelect={() => onChoose(each)}
        >
          <Label label={each.label} />
          {each.dangerLevel >= 1 && (
            <span className="ms-auto shrink-0 text-tiny">
              <DangerMark level={each.dangerLevel} />
            </span>
          )}
        </FinderRow>
      ))}
      {capabilities.length > mostShown && (
        <FinderNote>{words.moreFit(capabilities.length - mostShown)}</FinderNote>
      )}
    </>
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
