import { expect, test } from 'vitest'
import { openConversation } from './code-conversation.ts'

test('whoever says something that clients do not say hears what they do', () => {
  const said: unknown[] = []
  const conversation = openConversation({
    run: () => {
      throw new Error('Nothing was to run')
    },
    cancel: async () => {},
    send: (message) => said.push(message),
    log: { error: () => {} } as never,
  })
  for (const type of ['result', 'run', undefined]) conversation.hear(JSON.stringify({ id: 'a', type }))
  const words = (reason: string) =>
    expect.objectContaining({
      id: 'a',
      type: 'error',
      payload: expect.objectContaining({ code: 'does_not_fit', message: expect.stringContaining(reason) }),
    })
  const known = words('type: must be one of execute, cancel')
  expect(said).toEqual([known, known, known])
})
