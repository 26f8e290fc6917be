import { eq } from 'drizzle-orm'
import type { Principal } from '#contract/access.ts'
import type { ApprovalAsked } from '#contract/agent-event.ts'
import type { Approval } from '#contract/approval.ts'
import type { SpoolRecord } from '#contract/keeper.ts'
import { undeliveredCommands } from '#db/commands.ts'
import { leaseOf, takeLease } from '#db/leases.ts'
import { executions } from '#db/schema.ts'
import { approvalIdOf } from '#domain/approval.ts'
import type { Rule } from '#domain/policy.ts'
import { copySpool } from '#flows/copy-spool.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { openWithGit } from './git-registry.ts'
import { ada as adaWithoutApprove } from './registry.ts'

export const ada: Principal = { ...adaWithoutApprove, scopes: ['run', 'board', 'approve'] }

/** What an agent asks that wants to run a command. */
export const wish = (change: Partial<ApprovalAsked> = {}): ApprovalAsked => ({
  requestId: '1',
  kind: 'tool',
  tool: 'Bash',
  title: 'Run git push',
  input: { command: 'git push' },
  toolCallId: 'call_1',
  subject: 'git push',
  readOnly: false,
  options: [
    { id: 'yes', label: 'Yes', kind: 'allow_once' },
    { id: 'always', label: 'Always', kind: 'allow_always' },
    { id: 'no', label: 'No', kind: 'reject_once' },
  ],
  ...change,
})

/** Executions that run, as far as the tables know, whose spools the test writes. */
export async function openAsking(ofAgent: object = {}, configured: Rule[] = []) {
  const box = await openWithGit({}, ofAgent)
  const { pool } = box

  async function begin(who?: Principal) {
    const started = who ? await box.as(who, 'POST', '/executions', box.asked) : await box.start()
    const { id, sessionId }: { id: string; sessionId: string } = started.body.data
    await box.run(id)
    const taken = await pool.transaction((tx) => takeLease(tx, id, box.machineId, 'worker'))
    const lease = leaseOf(taken!)
    let offset = 0
    const copy = (type: SpoolRecord['type'], payload: unknown, approvalExpiresMs = 60_000) => {
      const record = { offset: offset + 1, at: new Date().toISOString(), type, payload } as SpoolRecord
      const batch = { from: offset, to: offset + 1, bytes: offset + 1, logBytes: 0, logLines: 0 }
      offset += 1
      const rules = { approvalExpiresMs, configured, handOver: { send: () => Promise.resolve() } }
      return pool.transaction((tx) => copySpool(tx, lease, { ...batch, records: [record] }, rules))
    }
    return {
      id,
      sessionId,
      /** Answers with the approval's id. */
      ask: async (
        { isOwnTool, ...change }: Partial<ApprovalAsked> & { isOwnTool?: boolean } = {},
        approvalExpiresMs?: number,
      ): Promise<string> => {
        const asked = wish(change)
        const inputHash = hashOfInput(asked)
        await copy('approval', { ...asked, inputHash, ...(isOwnTool && { isOwnTool }) }, approvalExpiresMs)
        return approvalIdOf(id, asked.requestId)
      },
      withdraw: (requestId: string) => copy('withdrawn', { requestId, reason: 'It changed its mind' }),
      end: () => copy('ended', { reason: 'turn_completed', exitCode: null, signal: null, message: null }),
      answers: async () =>
        (await undeliveredCommands(pool.db, id)).map(({ type, payload }) => ({ type, payload })),
      row: async () => (await pool.db.select().from(executions).where(eq(executions.id, id)))[0]!,
    }
  }
  const read = async (id: string): Promise<Approval> => (await box.call('GET', `/approvals/${id}`)).body.data
  const answer = (id: string, given: object) => box.call('POST', `/approvals/${id}`, given)
  return { ...box, begin, read, answer }
}
