import { expect, it } from 'vitest'
import { openSessionText } from './session-text.ts'

const output = (text: string) => ({
  type: 'data-terminal',
  payload: JSON.stringify({ stream: 'stdout', chunk: Buffer.from(text).toString('base64') }),
})
const words = (delta: string) => ({ type: 'text-delta', payload: JSON.stringify({ delta }) })
const asked = (title: string) => ({
  type: 'tool-approval-request',
  payload: JSON.stringify({ title, approvalId: '01a1e671-56ab-746f-9bc0-d62fc5607a55' }),
})
const status = { type: 'data-status', payload: JSON.stringify({ status: 'succeeded' }) }

function shown(...events: { type: string; payload: string }[]): string {
  const textOf = openSessionText()
  return Buffer.concat(events.flatMap((event) => textOf(event) ?? [])).toString()
}

it('shows what an agent says as it flows, and all else on lines of its own', () => {
  expect(shown(words('Hel'), words('lo'), asked('Run it?'), status)).toBe(
    'Hello\r\n\x1b[0m\x1b[33m? Run it? (signalbox approve d62fc5607a55)\x1b[0m\r\n\x1b[0m\x1b[2m── succeeded ──\x1b[0m\r\n',
  )
})

it('keeps a sequence together that comes in two pieces', () => {
  expect(shown(output('a\x1b[3'), output('1mb'))).toBe('a\x1b[31mb')
})

it.each([
  ['a text without an end', '\x1b]0;'],
  ['a sequence without an end', '\x1b[38;5'],
  ['a text in C1 without an end', '\u0090'],
])('shows what follows on %s', (_, begun) => {
  const seen = shown(output(`before${begun}`), asked('Run it?'), words('Hello'), status)
  for (const said of ['before', '? Run it?', 'Hello', '── succeeded ──']) expect(seen).toContain(said)
  expect(shown(output(begun), status, output('again'))).toContain('again')
})

it('lets nobody hide a question, by colours or by writing over it', () => {
  expect(shown(output('\x1b[8;40;30m'), asked('Run it?'))).toContain('\x1b[0m\x1b[33m? Run it?')
  const seen = shown(asked('rm -rf /\r? ls\b\b\u007f'))
  expect(seen).toContain('? rm -rf /? ls (')
})
