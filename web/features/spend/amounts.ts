import type { Spend } from '../../../src/contract/spend.ts'
import { spendStrings } from '../../strings/spend.ts'

const exact = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Less than a cent is not nothing. */
export const dollars = (amount: number): string =>
  amount > 0 && amount < 0.01 ? spendStrings.underCent : exact.format(amount)

export const tokens = (amount: number): string => short.format(amount)

/** What something cost; where nothing of it is known, that. */
export const costOf = ({ costUsd, turns, unpriced }: Pick<Spend, 'costUsd' | 'turns' | 'unpriced'>): string =>
  turns > 0 && unpriced === turns ? spendStrings.unknown : dollars(costUsd)

export interface Day {
  day: string
  costUsd: number
  tokens: number
}

/** Every day from the first to today, those on which nothing was spent too. */
export function everyDay({ since, today, parts }: Pick<Spend, 'since' | 'today' | 'parts'>): Day[] {
  const known = new Map(parts.map((part) => [part.day, part]))
  const days: Day[] = []
  const end = Date.parse(today)
  for (let time = Date.parse(since); time <= end; time += 86_400_000) {
    const day = new Date(time).toISOString().slice(0, 10)
    const part = known.get(day)
    days.push({
      day,
      costUsd: part?.costUsd ?? 0,
      tokens: (part?.inputTokens ?? 0) + (part?.outputTokens ?? 0),
    })
  }
  return days
}
