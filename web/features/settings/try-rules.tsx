import { useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import { policyStrings as words } from '../../strings/policy.ts'
import { Field, Pick } from '../../ui/field.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { Group } from './group.tsx'
import { Verdict } from './verdict.tsx'

interface Props {
  agents: readonly Agent[]
  nameOf: (agentId: string | null) => string
}

/** Something that an agent could want, held against the rules as they are. */
export function TryRules({ agents, nameOf }: Props) {
  const [agentId, setAgentId] = useState('')
  const [tool, setTool] = useState('Bash')
  const [argument, setArgument] = useState('')
  const [isPlace, setPlace] = useState(false)
  const [readOnly, setReadOnly] = useState(false)
  return (
    <Group title={words.tryTitle} hint={words.tryHint}>
      <div className="flex flex-col gap-3 pt-3">
        <div className="flex flex-wrap items-end gap-3">
          <Field label={words.who}>
            <Pick
              value={agentId}
              choices={['', ...agents.map(({ id }) => id)]}
              nameOf={(one) => nameOf(one || null)}
              onChoose={setAgentId}
            />
          </Field>
          <div className="w-45">
            <Field label={words.tool}>
              <input
                dir="ltr"
                className={fieldLook}
                value={tool}
                maxLength={200}
                onChange={(event) => setTool(event.target.value)}
              />
            </Field>
          </div>
          <div className="min-w-60 grow">
            <Field label={words.sample}>
              <input
                dir="ltr"
                className={`${fieldLook} font-mono`}
                value={argument}
                maxLength={10_000}
                placeholder={words.sampleHint}
                onChange={(event) => setArgument(event.target.value)}
              />
            </Field>
          </div>
        </div>
        <div className="flex flex-wrap gap-5">
          <Tick label={words.isPlace} isOn={isPlace} onChange={setPlace} />
          <Tick label={words.readOnly} isOn={readOnly} onChange={setReadOnly} />
        </div>
        {tool.trim() !== '' && (
          <Verdict
            asked={{
              agentId: agentId || null,
              tool: tool.trim(),
              argument: argument.trim() || null,
              isPlace,
              readOnly,
            }}
            nameOf={nameOf}
          />
        )}
      </div>
    </Group>
  )
}

function Tick({
  label,
  isOn,
  onChange,
}: {
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}) {
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        className="size-4 accent-text"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  )
}
