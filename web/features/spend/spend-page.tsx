import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { part } from '../../part.tsx'
import { strings } from '../../strings/page.ts'
import { spendStrings } from '../../strings/spend.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Section } from '../../ui/section.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { dollars, everyDay, tokens } from './amounts.ts'
import { SpendTable } from './spend-table.tsx'
import { useSpend } from './use-spend.ts'

const SpendChart = part(
  () => import('./spend-chart.tsx'),
  () => <div className="h-60" />,
)
const periods = [7, 30, 90] as const
const words = spendStrings

/** Tokens and dollars: by day, by agent, by task. */
export default function SpendPage() {
  const [days, setDays] = useState<number>(30)
  const { data, error, refetch } = useSpend('day', days)
  return (
    <>
      <PageHead title={words.heading}>
        <fieldset aria-label={words.period} className="inline-flex rounded-control border border-edge p-0.5">
          {periods.map((period) => (
            <button
              key={period}
              type="button"
              aria-pressed={period === days}
              className="h-6 rounded-small px-2.5 text-soft aria-pressed:bg-raise aria-pressed:text-text max-sm:h-8"
              onClick={() => setDays(period)}
            >
              {words.days(period)}
            </button>
          ))}
        </fieldset>
      </PageHead>
      {!data && error && (
        <Empty title={words.failed} text={error.message}>
          <Button onClick={() => void refetch()}>{strings.retry}</Button>
        </Empty>
      )}
      {data?.turns === 0 && (
        <Empty title={words.emptyTitle} text={words.emptyText}>
          <Link to="/agents" className={buttonLook()}>
            {words.emptyLink}
          </Link>
        </Empty>
      )}
      {data && data.turns > 0 && (
        <div className="flex min-h-0 grow flex-col gap-7 overflow-y-auto px-5.5 pt-1 pb-10 max-sm:px-4">
          <div>
            <p className="flex items-baseline gap-3">
              <b data-spend-total className="text-figure font-semibold tabular-nums">
                {dollars(data.costUsd)}
              </b>
              <span className="text-soft tabular-nums">
                {words.tokensTotal(tokens(data.inputTokens + data.outputTokens))}
              </span>
            </p>
            {data.unpriced > 0 && (
              <p data-unpriced className="text-soft">
                {words.unpriced(data.unpriced)}
              </p>
            )}
            <p className="pt-1 text-small text-mute">{words.note}</p>
          </div>
          <Section title={words.byDay}>
            <SpendChart days={everyDay(data)} />
            <details className="pt-1">
              <summary className="text-small text-soft">{words.asTable}</summary>
              <SpendTable by="day" parts={data.parts.toReversed()} />
            </details>
          </Section>
          <By title={words.byAgent} by="agent" days={days} />
          <By title={words.byTask} by="task" days={days} />
        </div>
      )}
    </>
  )
}

function By({ title, by, days }: { title: string; by: 'agent' | 'task'; days: number }) {
  const { data, error } = useSpend(by, days)
  return (
    <Section title={title}>
      {!data && error && <p className="py-2">{error.message}</p>}
      {data && <SpendTable by={by} parts={data.parts} />}
    </Section>
  )
}
