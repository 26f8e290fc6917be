import type { Principal } from '#contract/access.ts'
import type { CodeResult, CodeWaiting } from '#contract/execute.ts'
import type { Database } from './pool.ts'

/** What can be told of a run that waits or has waited, without its memory. */
export interface CodeRunRead {
  id: string
  principal: Principal
  createdBy: string
  sessionId: string | null
  machineId: string
  status: 'frozen' | 'running' | 'ended'
  result: CodeResult | null
  /** What it waits for, the first asked first. */
  approvals: CodeWaiting['approvals']
}

const text = `
  select id, principal, created_by as "createdBy", session_id as "sessionId", machine_id as "machineId", status,
    result,
    (select coalesce(json_agg(json_build_object('id', a.id, 'tool', a.tool, 'title', a.title,
        'expiresAt', extract(epoch from a.expires_at) * 1000) order by a.asked_at, a.id), '[]')
      from approvals a where a.code_run_id = code_runs.id and a.status = 'waiting') as approvals
  from code_runs where id = $1`

type Row = Omit<CodeRunRead, 'approvals'> & {
  approvals: { id: string; tool: string; title: string; expiresAt: number }[]
}

export async function readCodeRun(db: Database, id: string): Promise<CodeRunRead | undefined> {
  const { rows } = await db.$client.query<Row>({ name: 'read code run', text, values: [id] })
  const [row] = rows
  if (!row) return undefined
  const approvals = row.approvals.map(({ expiresAt, ...one }) => ({
    ...one,
    expiresAt: new Date(expiresAt).toISOString(),
  }))
  return { ...row, approvals }
}
