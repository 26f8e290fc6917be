import type { ModelMessage } from 'ai'
import { expect, test } from 'vitest'
import { turn } from './fixtures/turn.ts'
import { ModelHistory } from './history.ts'
import { presentable } from './presentable.ts'

test('what was said twice in a row is one message, and one text', async () => {
  const { shown } = await turn([{ text: 'ok' }], {
    history: [
      { role: 'user', content: 'first' },
      { role: 'user', content: 'second' },
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: 'third' },
    ],
  })
  expect(shown[0]?.slice(1).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(shown[0]?.[1]?.content).toEqual([{ type: 'text', text: 'first\n\nsecond' }])
})

test('files stay where they are among the texts', () => {
  const file = { type: 'file', data: 'AAAA', mediaType: 'image/png' } as const
  const messages: ModelMessage[] = [
    { role: 'user', content: [file, { type: 'text', text: 'one' }] },
    { role: 'user', content: 'two' },
    { role: 'user', content: [file, { type: 'text', text: ' \n ' }] },
  ]
  expect(presentable(messages)).toEqual([
    { role: 'user', content: [file, { type: 'text', text: 'one\n\ntwo' }, file] },
  ])
})

test('texts without words are shown to nobody', async () => {
  const { shown } = await turn([{ text: ' \n ', calls: [['a', 'read']] }, { text: 'ok' }], {
    history: [{ role: 'user', content: ' \n ' }],
  })
  expect(shown).toHaveLength(2)
  for (const step of shown) for (const text of textsIn(step)) expect(text.trim()).not.toBe('')
  const history = new ModelHistory()
  history.takeMessage('go')
  for (const type of ['start-step', 'text-start', 'text-delta', 'text-end', 'finish-step'])
    history.take({ type, id: 't', delta: ' \n ' })
  expect(history.messages).toHaveLength(1)
})

const textsIn = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? [content]
      : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  )
