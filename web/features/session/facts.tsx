import type { ReactNode } from 'react'
import { ago, dateAndTime } from '../../ui/time.ts'
import { useNow } from '../board/use-now.ts'

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex gap-3 py-1">
      <dt className="w-20 shrink-0 wrap-anywhere text-mute">{name}</dt>
      <dd className="min-w-0 wrap-anywhere tabular-nums">{children}</dd>
    </div>
  )
}

export function Moment({ name, at }: { name: string; at: string }) {
  const now = useNow()
  return (
    <Fact name={name}>
      <time dateTime={at} title={dateAndTime(at)}>
        {ago(at, now)}
      </time>
    </Fact>
  )
}
