import { useEffect, useRef } from 'react'
import type { Approval } from '../../../src/contract/approval.ts'
import { roomApi } from '../../room-api.ts'
import { approvalStrings } from '../../strings/approval.ts'
import { announce } from '../../ui/announce.tsx'
import { toast } from '../../ui/toast.tsx'
import { wasAnsweredHere } from './answer.ts'
import { visibleText } from './visible-text.ts'
import { whoAnswered } from './who-answered.ts'

/** Whoever looks at a question that somebody else answers is told who it was, and what they said. */
export function useToldOfVanished(rows: readonly Approval[]): void {
  const before = useRef<readonly Approval[]>([])
  useEffect(() => {
    const here = new Set(rows.map(({ id }) => id))
    const gone = before.current.filter(({ id }) => !here.has(id) && !wasAnsweredHere(id))
    before.current = rows
    for (const { id } of gone) void tell(id)
  }, [rows])
}

async function tell(id: string): Promise<void> {
  const approval = await roomApi.approval(id, AbortSignal.timeout(10_000)).catch(() => undefined)
  if (!approval || approval.status === 'waiting') return
  const how = approvalStrings.answered[approval.status]
  const text = approvalStrings.elsewhere(visibleText(approval.title), how, whoAnswered(approval))
  toast(text)
  announce(text)
}
