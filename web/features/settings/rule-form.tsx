import { useState } from 'react'
import { CreateRule, RuleEffect } from '../../../src/contract/approval.ts'
import type { PolicyRule } from '../../../src/contract/approval.ts'
import type { Agent } from '../../../src/contract/agent.ts'
import { misfitsIn } from '../../misfit.ts'
import { policyStrings as words } from '../../strings/policy.ts'
import { settingsStrings } from '../../strings/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Pick } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { Misfit } from '../../ui/misfit-line.tsx'
import { settingsApi } from './settings-api.ts'
import { Verdict } from './verdict.tsx'

interface Props {
  /** Without one, a new one is made. */
  rule: PolicyRule | undefined
  agents: readonly Agent[]
  nameOf: (agentId: string | null) => string
  onClose: () => void
  onSaved: () => Promise<unknown>
}

/** A rule, and what it would have answered to something that one can try while one writes it. */
export function RuleForm({ rule, agents, nameOf, onClose, onSaved }: Props) {
  const [effect, setEffect] = useState<RuleEffect>(rule?.effect ?? 'allow')
  const [agentId, setAgentId] = useState(rule?.agentId ?? '')
  const [tool, setTool] = useState(rule?.tool ?? '')
  const [argument, setArgument] = useState(rule?.argument ?? '')
  const [sample, setSample] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const body = { effect, agentId: agentId || null, tool: tool.trim(), argument: argument || null }
  const misfits = misfitsIn(CreateRule, body)
  const isReady = Object.keys(misfits).length === 0
  const save = async () => {
    setBusy(true)
    setProblem(null)
    try {
      if (rule) await settingsApi.editRule(rule.id, body)
      else await settingsApi.addRule(body)
      toast(settingsStrings.saved)
      await onSaved()
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={rule ? words.editRule : words.newRule} onClose={onClose} className="w-150">
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !isBusy) void save()
        }}
      >
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 pb-3">
          <div className="flex flex-wrap gap-4">
            <Field label={words.what}>
              <Pick
                value={effect}
                choices={RuleEffect.options}
                nameOf={(one) => words.effect[one]}
                onChoose={setEffect}
              />
            </Field>
            <Field label={words.who}>
              <Pick
                value={agentId}
                choices={['', ...agents.map(({ id }) => id)]}
                nameOf={(one) => nameOf(one || null)}
                onChoose={setAgentId}
              />
            </Field>
          </div>
          <Field label={words.tool}>
            <input
              dir="ltr"
              className={fieldLook}
              value={tool}
              maxLength={200}
              placeholder={words.toolHint}
              onChange={(event) => setTool(event.target.value)}
            />
            {tool !== '' && <Misfit reason={misfits['tool']} />}
          </Field>
          <Field label={words.argument}>
            <input
              dir="ltr"
              className={`${fieldLook} font-mono`}
              value={argument}
              maxLength={10_000}
              placeholder={words.argumentHint}
              onChange={(event) => setArgument(event.target.value)}
            />
            <Misfit reason={misfits['argument']} />
            <span className="text-small text-mute">{words.argumentHelp}</span>
          </Field>
          {isReady && (
            <p dir="auto" className="wrap-anywhere">
              {words.sentence(effect, nameOf(body.agentId), body.tool, body.argument)}
            </p>
          )}
          <div className="flex flex-col gap-1.5 border-t border-line pt-3">
            <Field label={words.sample}>
              <input
                dir="ltr"
                className={`${fieldLook} font-mono`}
                value={sample}
                maxLength={10_000}
                placeholder={words.sampleHint}
                onChange={(event) => setSample(event.target.value)}
              />
            </Field>
            {isReady && sample.trim() !== '' && (
              <Verdict
                asked={{
                  agentId: body.agentId,
                  // A pattern is tried with a name that it is about.
                  tool: body.tool.replaceAll('*', 'x'),
                  argument: sample.trim(),
                  rule: body,
                  ...(rule && { without: rule.id }),
                }}
                nameOf={nameOf}
              />
            )}
          </div>
          <Misfit reason={problem ?? undefined} isAlert />
        </div>
        <div className="flex justify-end border-t border-line px-4 py-3">
          <Button look="main" type="submit" disabled={!isReady || isBusy}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
