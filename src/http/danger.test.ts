import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { Approval } from '#contract/approval.ts'
import { approvals, capabilities } from '#db/schema.ts'
import { expireOverdue } from '#flows/expire-approvals.ts'
import { ada } from '../../test/support/asking.ts'
import { codeOf, fieldOf, openWithGit } from '../../test/support/git-registry.ts'

async function openDangerous(more: object = {}) {
  const box = await openWithGit({ dangerLevel: 3, ...more })
  const approvalOf = async (executionId: string): Promise<Approval> =>
    (await box.call('GET', `/approvals?executionId=${executionId}`)).body.data[0]
  const handed = async () =>
    (await box.handOver.take(box.machineId, 'tool', 5)).map(({ executionId }) => executionId)
  const answer = (id: string, given: object) => box.call('POST', `/approvals/${id}`, given)
  return { ...box, approvalOf, handed, answer }
}

describe('something dangerous', () => {
  test('stays queued, is handed to nobody, and asks with what would run', async () => {
    const { start, approvalOf, handed, told } = await openDangerous()
    const { status, body } = await start({ args: { ref: "it's\u202e\n" } })
    expect([status, body.data.status, body.data.waitingApprovals]).toEqual([201, 'queued', 1])
    const { id, sessionId } = body.data
    expect(await handed()).toEqual([])
    const approval = await approvalOf(id)
    expect(approval).toMatchObject({
      kind: 'danger',
      status: 'waiting',
      danger: 3,
      title: String.raw`/usr/bin/git show 'it'\''s\u202e ' -- src`,
      input: {
        command: ['/usr/bin/git', 'show', "it's\u202e\n", '--', 'src'],
        args: { ref: "it's\u202e\n", depth: 1 },
        prompt: 'src',
      },
    })
    expect(Date.parse(approval.expiresAt) - Date.parse(approval.askedAt)).toBeLessThan(61_000)
    expect((await told(sessionId)).map(({ type }) => type)).toEqual(['data-status', 'tool-approval-request'])
    expect((await told(BOARD_STREAM)).map(({ type }) => type)).toEqual(['execution.queued', 'approval.asked'])
  })

  test('is handed over with a yes, once', async () => {
    const { start, approvalOf, handed, answer, rowOf, told } = await openDangerous()
    const { id, sessionId } = (await start()).body.data
    const approval = await approvalOf(id)
    expect(fieldOf(await answer(approval.id, { decision: 'granted', remember: true }))).toEqual([
      422,
      'remember',
    ])
    const answers = await Promise.all([1, 2, 3].map(() => answer(approval.id, { decision: 'granted' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(await handed()).toEqual([id])
    expect(await rowOf(id)).toMatchObject({ status: 'queued', waitingApprovals: 0 })
    expect((await told(sessionId)).at(-1)).toMatchObject({ type: 'tool-approval-response' })
  })

  test('is cancelled with a no, and says whose', async () => {
    const { as, asked, approvalOf, handed, answer, rowOf, told } = await openDangerous()
    const { id, sessionId } = (await as(ada, 'POST', '/executions', asked)).body.data
    const approval = await approvalOf(id)
    await answer(approval.id, { decision: 'refused', reason: 'Not\ntoday' })
    const row = await rowOf(id)
    expect(row).toMatchObject({
      status: 'cancelled',
      error: 'Refused by Owner: Not today',
      waitingApprovals: 0,
    })
    expect(row.endedAt).not.toBeNull()
    const events = await told(sessionId)
    expect(events.at(-1)).toMatchObject({ seq: row.lastSeq, payload: { status: 'cancelled' } })
    expect((await told(BOARD_STREAM)).slice(-2).map(({ type }) => type)).toEqual([
      'approval.answered',
      'execution.completed',
    ])
    expect(await handed()).toEqual([])
    expect(codeOf(await answer(approval.id, { decision: 'granted' }))).toEqual([
      409,
      'approval_already_answered',
    ])
  })

  test('is cancelled when nobody answers', async () => {
    const { start, approvalOf, handed, pool, rowOf, answer } = await openDangerous()
    const { id } = (await start()).body.data
    const { id: approvalId } = await approvalOf(id)
    await pool.db.update(approvals).set({ expiresAt: new Date(0) })
    await Promise.all([expireOverdue(pool), expireOverdue(pool)])
    expect(await rowOf(id)).toMatchObject({ status: 'cancelled', error: 'Nobody answered in time' })
    expect((await approvalOf(id)).status).toBe('expired')
    expect(codeOf(await answer(approvalId, { decision: 'granted' }))).toEqual([409, 'approval_expired'])
    expect(await handed()).toEqual([])
  })

  test('that is cancelled asks no more', async () => {
    const { start, approvalOf, handed, call, answer, told } = await openDangerous()
    const { id, sessionId } = (await start()).body.data
    const { status, body } = await call('POST', `/executions/${id}/cancel`)
    expect([status, body.data.status, body.data.waitingApprovals]).toEqual([202, 'cancelled', 0])
    const approval = await approvalOf(id)
    expect(approval).toMatchObject({
      status: 'expired',
      reason: 'Cancelled before it started',
      answeredBy: 'owner',
    })
    expect(codeOf(await answer(approval.id, { decision: 'granted' }))).toEqual([409, 'approval_expired'])
    expect((await told(sessionId)).slice(-2).map(({ type }) => type)).toEqual([
      'tool-approval-response',
      'data-status',
    ])
    expect(await handed()).toEqual([])
  })

  test('begins at once with a person’s yes, which stands in the ledger', async () => {
    const { start, as, asked, approvalOf, handed } = await openDangerous()
    const byOwner = (await start({ confirm: true })).body.data
    const byAda = (await as(ada, 'POST', '/executions', { ...asked, confirm: true })).body.data
    expect(byOwner.waitingApprovals).toBe(0)
    expect(await approvalOf(byOwner.id)).toMatchObject({
      status: 'granted',
      answeredBy: 'owner',
      kind: 'danger',
    })
    expect(await approvalOf(byAda.id)).toMatchObject({ status: 'granted', answeredBy: ada.id })
    expect((await handed()).toSorted()).toEqual([byOwner.id, byAda.id].toSorted())
  })

  test('asks although an agent says yes to itself', async () => {
    const { as, asked, handed } = await openDangerous()
    const agent = { ...ada, kind: 'agent' } as unknown as Principal
    const { status, body } = await as(agent, 'POST', '/executions', { ...asked, confirm: true })
    expect([status, body.data.waitingApprovals]).toEqual([201, 1])
    expect(await handed()).toEqual([])
  })

  test('asks whatever the agent’s policy and rules say', async () => {
    const { asked, start, call, agent, handed } = await openDangerous()
    await call('PATCH', `/agents/${agent.id}`, { permissionPolicy: 'all' })
    await call('POST', '/policies/rules', { tool: '*', effect: 'allow' })
    expect((await start(asked)).body.data.waitingApprovals).toBe(1)
    expect(await handed()).toEqual([])
  })

  test('of level 2 asks, of level 1 does not', async () => {
    const { start, pool, approvalOf, handed, asked } = await openDangerous()
    const level = (dangerLevel: number) =>
      pool.db.update(capabilities).set({ dangerLevel }).where(eq(capabilities.id, asked.capabilityId))
    await level(2)
    expect((await start()).body.data.waitingApprovals).toBe(1)
    await level(1)
    const { id } = (await start()).body.data
    expect(await handed()).toEqual([id])
    expect(await approvalOf(id)).toBeUndefined()
  })
})
