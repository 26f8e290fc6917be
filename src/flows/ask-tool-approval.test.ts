import { expect, test } from 'vitest'
import { hashOfInput } from '#lib/input-hash.ts'
import { openAsking } from '../../test/support/asking.ts'
import { askToolApproval } from './ask-tool-approval.ts'

test('the same call of a model is one question, and a yes to it is none to another of the same name', async () => {
  const box = await openAsking()
  const { id: executionId, sessionId, row } = await box.begin()
  const { agentId } = await row()
  const ask = (input: object) => {
    const question = {
      executionId,
      sessionId,
      agentId: agentId!,
      kind: 'tool' as const,
      tool: 'desk.book',
      title: 'desk.book',
      input,
      inputHash: hashOfInput({ tool: 'desk.book', input }),
      subject: null,
      readOnly: false,
      danger: 1,
      isForAPerson: false,
      otherNames: [],
      inChat: { toolCallId: 'call_0', position: 1, total: 1 },
    }
    const rules = { approvalExpiresMs: 60_000, configured: [], machineId: box.machineId }
    return box.pool.transaction((tx) => askToolApproval(tx, question, rules))
  }
  const first = await ask({ key: 'harmless' })
  expect((await box.answer(first.id, { decision: 'granted' })).status).toBe(200)
  expect(await ask({ key: 'harmless' })).toMatchObject({ id: first.id, status: 'granted' })
  expect(await ask({ key: 'everything' })).toMatchObject({ status: 'waiting' })
})
