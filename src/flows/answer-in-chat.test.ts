import { describe, expect, test } from 'vitest'
import { approvals } from '#db/schema.ts'
import { askToolApproval } from './ask-tool-approval.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { newId } from '#lib/id.ts'
import { codeOf, openChats, user } from '../../test/support/played-chats.ts'
import type { Chats } from '../../test/support/played-chats.ts'

describe('an answer to what a model’s call asks', () => {
  async function asked(chats: Chats, input: unknown) {
    const sessionId = await chats.open()
    const executionId = await chats.say(sessionId, 'Do it')
    await chats.run(executionId)
    const call = { toolCallId: 'call', toolName: 'desk__book', input }
    await chats.append(sessionId, { type: 'tool-input-available', payload: call, executionId })
    const question = {
      executionId,
      sessionId,
      agentId: chats.model.id as string,
      kind: 'tool' as const,
      tool: 'desk.book',
      title: 'Book',
      input,
      inputHash: hashOfInput({ tool: 'desk.book', input }),
      subject: null,
      readOnly: false,
      danger: 1,
      isForAPerson: false,
      otherNames: [],
      inChat: { toolCallId: 'call', position: 1, total: 1 },
    }
    const rules = { approvalExpiresMs: 60_000, configured: [], machineId: chats.machineId }
    await chats.pool.transaction((tx) => askToolApproval(tx, question, rules))
    const [, told] = await chats.messages(sessionId)
    const part = told!.parts.at(-1) as unknown as {
      toolCallId: string
      input: object
      approval: { id: string }
    }
    const answered = (changes: object = {}, approval: object = {}) => ({
      id: 'm',
      role: 'assistant',
      parts: [
        {
          ...part,
          state: 'approval-responded',
          ...changes,
          approval: { ...part.approval, approved: true, ...approval },
        },
      ],
    })
    const send = (...messages: object[]) => chats.ask('POST', `${sessionId}/chat`, { messages })
    const status = async () => (await chats.pool.db.select().from(approvals))[0]?.status
    return { sessionId, executionId, part, answered, send, status }
  }

  test('is shown on its call, and counts for the input that was shown', async () => {
    const chats = await openChats()
    const { part, answered, send, status, executionId } = await asked(chats, { seat: 1 })
    expect([part.toolCallId, part.input]).toEqual(['call', { seat: 1 }])
    for (const forged of [
      answered({ input: { seat: 2 } }),
      answered({}, { id: newId() }),
      answered({}, { id: 'x' }),
    ])
      expect(codeOf(await send(forged))).toEqual([409, 'approval_not_waiting'])
    expect(await status()).toBe('waiting')
    const { body } = await send(answered())
    expect([await status(), body.messageMetadata.executionId]).toEqual(['granted', executionId])
    expect(codeOf(await send(answered({}, { approved: false })))).toEqual([409, 'approval_not_waiting'])
    expect(await status()).toBe('granted')
  })

  test('in what a client says the history was counts for nothing, unless the message that asks is named', async () => {
    const chats = await openChats()
    const { sessionId, answered, send, status } = await asked(chats, { seat: 1 })
    expect((await send(answered(), user('Go on'))).status).toBe(200)
    expect(await status()).toBe('waiting')
    const messages = [answered(), user('Meanwhile', 'later')]
    const wish = { trigger: 'submit-message', messageId: 'm', messages }
    expect((await chats.ask('POST', `${sessionId}/chat`, wish)).status).toBe(200)
    expect(await status()).toBe('granted')
  })

  test('to more than can be shown is to the beginning that was', async () => {
    const chats = await openChats()
    const input = { note: 'x'.repeat(100_000) }
    const { part, answered, send, status } = await asked(chats, input)
    expect(part.input).toMatchObject({ characters: expect.any(Number) })
    expect(codeOf(await send(answered({ input: { ...part.input, characters: 5 } })))[0]).toBe(409)
    expect((await send(answered())).status).toBe(200)
    expect(await status()).toBe('granted')
  })
})
