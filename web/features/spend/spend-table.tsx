import { Link } from '@tanstack/react-router'
import type { Spend, SpendQuery } from '../../../src/contract/spend.ts'
import { spendStrings } from '../../strings/spend.ts'
import { costOf, tokens } from './amounts.ts'

type Part = Spend['parts'][number]
const number = 'py-1.5 ps-4 text-end whitespace-nowrap tabular-nums'
const exact = new Intl.NumberFormat('en')

/** When, by whom or on what it was spent. */
export function SpendTable({ by, parts }: { by: SpendQuery['by']; parts: readonly Part[] }) {
  const { turns, input, output, cost } = spendStrings.columns
  return (
    <table data-spend-by={by} className="w-full">
      <thead className="text-small text-mute">
        <tr>
          <th scope="col" className="py-1.5 text-start font-normal">
            {spendStrings.columns[by]}
          </th>
          {[turns, input, output, cost].map((name) => (
            <th
              key={name}
              scope="col"
              className={`${number} font-normal ${name === input || name === output ? 'max-sm:hidden' : ''}`}
            >
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => (
          <tr
            key={part.agentId ?? part.agentName ?? part.taskId ?? part.day ?? ''}
            className="border-t border-line"
          >
            <th scope="row" className="max-w-0 truncate py-1.5 text-start font-medium w-full">
              {by === 'task' ? <TaskName part={part} /> : <bdi>{part.agentName ?? part.day}</bdi>}
            </th>
            <td className={number}>{exact.format(part.turns)}</td>
            <Tokens amount={part.inputTokens} />
            <Tokens amount={part.outputTokens} />
            <td className={number}>
              {costOf(part)}
              {part.unpriced > 0 && part.unpriced < part.turns && (
                <span className="block text-small text-mute">
                  {spendStrings.unpricedShort(part.unpriced)}
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Tokens({ amount }: { amount: number }) {
  return (
    <td className={`${number} text-soft max-sm:hidden`} title={exact.format(amount)}>
      {tokens(amount)}
    </td>
  )
}

function TaskName({ part: { taskId, title } }: { part: Part }) {
  if (!taskId) return <span className="text-soft">{spendStrings.noTask}</span>
  return (
    <Link to="/board" search={{ task: taskId }} className="underline decoration-edge underline-offset-2">
      <bdi>{title ?? spendStrings.deletedTask}</bdi>
    </Link>
  )
}
