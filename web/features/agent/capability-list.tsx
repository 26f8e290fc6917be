import { useDeferredValue, useState } from 'react'
import type { Capability } from '../../../src/contract/capability.ts'
import { agentEditStrings as words } from '../../strings/agent-edit.ts'
import { Button } from '../../ui/button.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { schemaFields } from '../approval/schema-fields.ts'
import { visibleText } from '../approval/visible-text.ts'
import { DangerMark } from '../discovery/danger-mark.tsx'
import { fittingCapabilities } from './fitting-capabilities.ts'

/** A program can have hundreds. */
const shownAtFirst = 40

interface Props {
  capabilities: readonly Capability[]
  /** Nothing for those who may only look. */
  onEdit: ((capability: Capability | null) => void) | undefined
}

/** Everything that an agent can be asked for. */
export function CapabilityList({ capabilities, onEdit }: Props) {
  const [sought, setSought] = useState('')
  const [shown, setShown] = useState(shownAtFirst)
  const fitting = fittingCapabilities(capabilities, useDeferredValue(sought))
  return (
    <div className="flex min-h-0 flex-col overflow-y-auto px-4 pb-4">
      <div className="flex items-center gap-2 pb-2">
        {capabilities.length > 8 && (
          <input
            type="search"
            dir="auto"
            className={`${fieldLook} max-w-80`}
            value={sought}
            aria-label={words.find}
            placeholder={words.find}
            onChange={(event) => setSought(event.target.value)}
          />
        )}
        {onEdit && (
          <Button className="ms-auto" onClick={() => onEdit(null)}>
            {words.add}
          </Button>
        )}
      </div>
      {capabilities.length === 0 && <p className="text-soft">{words.none}</p>}
      {capabilities.length > 0 && fitting.length === 0 && <p className="text-soft">{words.nothing}</p>}
      <ul>
        {fitting.slice(0, shown).map((capability) => (
          <li key={capability.id} data-capability-row={capability.key} className="border-b border-line">
            {onEdit ? (
              <button
                type="button"
                aria-label={words.editOne(capability.label)}
                className="flex w-full min-w-0 items-center gap-3 py-1.5 text-start hover:bg-raise"
                onClick={() => onEdit(capability)}
              >
                <About capability={capability} />
              </button>
            ) : (
              <div className="flex min-w-0 items-center gap-3 py-1.5">
                <About capability={capability} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {fitting.length > shown && (
        <Button look="quiet" className="mt-1 -ms-2.5 self-start" onClick={() => setShown(fitting.length)}>
          {words.more(fitting.length - shown)}
        </Button>
      )}
    </div>
  )
}

function About({ capability }: { capability: Capability }) {
  const { label, key, interactionMode, dangerLevel, timeoutSec, argsSchema } = capability
  const facts = [
    words.mode[interactionMode],
    words.takes(schemaFields(argsSchema).length),
    words.facts(timeoutSec),
  ]
  return (
    <>
      <span className="min-w-0 grow">
        <span className="flex min-w-0 items-baseline gap-2">
          <bdi className="truncate">{visibleText(label)}</bdi>
          {key !== label && (
            <bdi dir="ltr" className="truncate font-mono text-tiny text-mute">
              {key}
            </bdi>
          )}
        </span>
        <span className="block truncate text-small text-mute">{facts.join(' · ')}</span>
      </span>
      <span className="shrink-0 text-small">
        <DangerMark level={dangerLevel} />
      </span>
    </>
  )
}
