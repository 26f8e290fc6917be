import { Link } from '@tanstack/react-router'
import { homePanelStrings } from '../../strings/home.ts'
import { spendStrings } from '../../strings/spend.ts'
import { Panel } from '../../ui/panel.tsx'
import { dollars, everyDay, tokens } from '../spend/amounts.ts'
import type { Day } from '../spend/amounts.ts'
import { useSpend } from '../spend/use-spend.ts'

const days = 14

/** What today cost, beside the days before it. */
export function SpendPanel() {
  const { data, error } = useSpend('day', days)
  const words = homePanelStrings
  const shown = data && everyDay(data)
  const today = shown?.at(-1)
  const unpriced = data?.parts.find(({ day }) => day === data.today)?.unpriced ?? 0
  return (
    <Panel
      title={words.spend}
      hint={words.today}
      aside={
        <Link
          to="/spend"
          className="pe-1.5 text-small text-soft underline decoration-edge underline-offset-2"
        >
          {words.allSpend}
        </Link>
      }
    >
      <div className="flex flex-col gap-2 px-3 py-2.5">
        {!data && error && <p className="text-soft">{words.failed(error.message)}</p>}
        <p className="flex items-baseline gap-2">
          <b data-spend-today className="text-title font-semibold tabular-nums">
            {today ? dollars(today.costUsd) : '–'}
          </b>
          <span className="text-small text-soft tabular-nums">
            {today && spendStrings.tokensTotal(tokens(today.tokens))}
          </span>
        </p>
        {unpriced > 0 && <p className="text-small text-soft">{spendStrings.unpricedShort(unpriced)}</p>}
        <Bars days={shown ?? []} />
      </div>
    </Panel>
  )
}

/** A bar for each day, as high as it was dear; today's stands out. */
function Bars({ days: shown }: { days: readonly Day[] }) {
  const most = Math.max(...shown.map(({ costUsd }) => costUsd), 0.01)
  return (
    <figure aria-label={spendStrings.chart(days)}>
      <svg viewBox={`0 0 ${days * 10 - 3} 40`} preserveAspectRatio="none" className="h-10 w-full">
        {shown.map(({ day, costUsd }, index) => {
          const height = costUsd > 0 ? Math.max(2, (costUsd / most) * 40) : 1
          return (
            <rect
              key={day}
              x={index * 10}
              y={40 - height}
              width="7"
              height={height}
              className={
                index === shown.length - 1 ? 'fill-text' : costUsd > 0 ? 'fill-control' : 'fill-edge'
              }
            >
              <title>{`${day}: ${dollars(costUsd)}`}</title>
            </rect>
          )
        })}
      </svg>
    </figure>
  )
}
