import { expect, it } from 'vitest'
import { spokenOf } from './spoken.ts'

const spoken = (type: string, payload: unknown) => {
  const said = spokenOf(type, JSON.stringify(payload))
  return said && [said.stream, said.bytes.toString()]
}

it('takes the words of an agent as its output', () => {
  expect(spoken('text-delta', { id: '1', delta: 'Hällo' })).toEqual(['stdout', 'Hällo'])
  expect(spoken('text-end', { id: '1' })).toEqual(['stdout', '\n'])
  expect(spoken('data-terminal', { stream: 'stderr', chunk: Buffer.from('oh').toString('base64') })).toEqual([
    'stderr',
    'oh',
  ])
})

it('tells what it does in lines of ours', () => {
  const input = { command: 'ls\n-la' }
  expect(spoken('tool-input-available', { toolCallId: 't', toolName: 'Bash', input })).toEqual([
    'system',
    '● Bash {"command":"ls\\n-la"}\n',
  ])
  expect(spoken('tool-output-available', { toolCallId: 't', output: 'a\nb\n' })).toEqual([
    'system',
    '  a\n  b\n',
  ])
  expect(spoken('tool-output-error', { errorText: 'no' })).toEqual(['system', '  ✗ no\n'])
  expect(spoken('data-message', { text: 'do\nthis' })).toEqual(['system', '> do\n> this\n'])
  expect(spoken('data-stall', { silentMs: 90_000 })).toEqual(['system', 'It has said nothing for 90 s\n'])
  expect(spoken('data-stall', { silentMs: false })).toEqual(['system', 'It speaks again\n'])
})

it('says how a question can be answered, and how it was', () => {
  const approvalId = '01a1e284-c55d-8048-98e2-c75279588e95'
  expect(spoken('tool-approval-request', { approvalId, title: 'Run ls' })).toEqual([
    'system',
    '? Run ls (signalbox approve c75279588e95)\n',
  ])
  expect(spoken('tool-approval-response', { status: 'refused', reason: 'no', by: 'policy' })).toEqual([
    'system',
    '  refused by policy: no\n',
  ])
})

it('is silent about everything else, and about what is not final', () => {
  expect(spoken('reasoning-delta', { delta: 'hm' })).toBeUndefined()
  expect(spoken('data-usage', { inputTokens: 1 })).toBeUndefined()
  expect(spoken('data-session', { sessionRef: 'x' })).toBeUndefined()
  expect(spoken('tool-output-available', { output: 'half', preliminary: true })).toBeUndefined()
})

it('keeps a long output short', () => {
  const [, text = ''] = spoken('tool-output-available', { output: 'x'.repeat(100_000) }) ?? []
  expect(text.length).toBeLessThan(2_100)
  expect(text).toContain(' …')
})
