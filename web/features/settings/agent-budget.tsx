import { useState } from 'react'
import { EditAgent } from '../../../src/contract/agent.ts'
import type { Agent } from '../../../src/contract/agent.ts'
import { misfitsIn } from '../../misfit.ts'
import { queryClient } from '../../query-client.ts'
import { settingStrings } from '../../strings/setting.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { Misfit } from '../../ui/misfit-line.tsx'
import { settingsApi } from './settings-api.ts'
import { told } from './told.ts'

const words = settingStrings.budgets
const fields = ['maxBudgetUsd', 'maxTurns', 'maxTokens'] as const
const labels = { maxBudgetUsd: words.usd, maxTurns: words.turns, maxTokens: words.tokens }

type Texts = Record<(typeof fields)[number], string>
const textsOf = (agent: Agent): Texts => ({
  maxBudgetUsd: String(agent.maxBudgetUsd),
  maxTurns: String(agent.maxTurns),
  maxTokens: agent.maxTokens === null ? '' : String(agent.maxTokens),
})

/** What one execution of an agent may use; an empty number of tokens is no limit. */
export function AgentBudget({ agent }: { agent: Agent }) {
  // Only what was written here: the others may be changed by somebody else meanwhile.
  const [texts, setTexts] = useState<Partial<Texts>>({})
  const shown = { ...textsOf(agent), ...texts }
  const body = Object.fromEntries(
    fields
      .filter((field) => texts[field] !== undefined)
      .map((field) => [
        field,
        field === 'maxTokens' && shown[field].trim() === '' ? null : numberIn(shown[field]),
      ]),
  )
  const isWritten = Object.keys(body).length > 0
  const misfits = misfitsIn(EditAgent, body)
  const isFit = Object.keys(misfits).length === 0
  const save = () =>
    told(async () => {
      await settingsApi.editAgent(agent.id, body)
      await queryClient.invalidateQueries({ queryKey: ['agents'] })
      setTexts({})
      toast(words.saved(agent.name))
    })
  return (
    <li data-budget={agent.name} className="border-b border-line py-2">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (isWritten && isFit) void save()
        }}
      >
        <bdi className="min-w-40 grow self-center font-medium">{agent.name}</bdi>
        {fields.map((field) => (
          <label key={field} className="flex w-34 flex-col gap-1 max-sm:w-full">
            <span aria-hidden className="text-small text-soft">
              {labels[field]}
            </span>
            <input
              inputMode="decimal"
              aria-label={words.of(labels[field], agent.name)}
              aria-invalid={field in misfits}
              placeholder={field === 'maxTokens' ? words.noLimit : undefined}
              className={`${fieldLook} tabular-nums`}
              value={shown[field]}
              onChange={(event) => setTexts({ ...texts, [field]: event.target.value })}
            />
          </label>
        ))}
        <Button type="submit" disabled={!isWritten || !isFit}>
          {settingStrings.save}
        </Button>
      </form>
      {isWritten &&
        Object.entries(misfits).map(([field, reason]) => (
          <Misfit key={field} reason={`${labels[field as keyof Texts] ?? field}: ${reason}`} />
        ))}
    </li>
  )
}

const numberIn = (text: string): number =>
  text.trim() === '' ? Number.NaN : Number(text.replaceAll(',', ''))
