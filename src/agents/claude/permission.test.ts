import { expect, it, test } from 'vitest'
import type { ToolAsked } from './frame.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { askedOf, responseTo } from './permission.ts'

const request: ToolAsked = {
  subtype: 'can_use_tool',
  tool_name: 'Bash',
  input: { command: 'touch a\n  b' },
  tool_use_id: 'toolu_1',
  permission_suggestions: [
    {
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'touch *' }],
      behavior: 'allow',
      destination: 'localSettings',
    },
    { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'deny', destination: 'localSettings' },
    { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
  ],
}
const answer = {
  requestId: 'r',
  inputHash: hashOfInput({ tool: 'Bash', input: request.input }),
  decision: 'granted' as const,
}

it('offers what Claude suggests, save what would let everything through', () => {
  const { approval } = askedOf('r', request, undefined)
  expect(approval.title).toBe('Bash: touch a b')
  expect(approval.options).toEqual([
    { id: 'allow', label: 'Allow', kind: 'allow_once' },
    { id: 'suggestion-0', label: 'Always allow Bash(touch *) in this session', kind: 'allow_always' },
    { id: 'suggestion-1', label: 'Allow all edits in this session', kind: 'allow_always' },
    { id: 'deny', label: 'Refuse', kind: 'reject_once' },
  ])
})

it('remembers for this session only, whatever place Claude suggests', () => {
  const asked = askedOf('r', request, undefined)
  expect(responseTo(asked, { ...answer, optionId: 'suggestion-0' })).toEqual({
    response: {
      behavior: 'allow',
      updatedInput: request.input,
      updatedPermissions: [{ ...request.permission_suggestions?.[0], destination: 'session' }],
    },
  })
  expect(responseTo(asked, answer)).toEqual({ response: { behavior: 'allow', updatedInput: request.input } })
})

test.each([
  [{ inputHash: hashOfInput({ tool: 'Bash', input: { command: 'ls' } }) }, 'Something else was asked.'],
  [{ optionId: 'suggestion-7' }, 'There is no option suggestion-7.'],
  [{ optionId: 'deny' }, 'The option deny does not mean granted.'],
  [
    { optionId: 'suggestion-0', decision: 'refused' as const },
    'The option suggestion-0 does not mean refused.',
  ],
])('an answer with %o is none', (given, refused) => {
  expect(responseTo(askedOf('r', request, undefined), { ...answer, ...given })).toEqual({ refused })
})

test.each([
  [{ command: 'ls', path: 'a' }, 'ls', undefined],
  [{ file_path: 'a(b).ts' }, 'a(b).ts', true],
  [{ url: 'https://a/?b&c' }, 'https://a/?b&c', true],
  [{ pattern: 'a|b' }, 'a|b', undefined],
  [{ other: 'x' }, null, undefined],
])('of %j rules are matched against %j', (input, subject, isPlace) => {
  const { approval } = askedOf('r', { ...request, input }, undefined)
  expect([approval.subject, approval.isPlace]).toEqual([subject, isPlace])
})

it('joins several choices, and keeps each question apart', () => {
  const option = (label: string) => ({ label, description: '' })
  const questions = [
    { question: 'Which?', header: 'H', multiSelect: true, options: [option('A'), option('B')] },
    { question: 'Sure?', multiSelect: false, options: [] },
  ]
  const asked = askedOf(
    'r',
    { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: { questions } },
    undefined,
  )
  const content = { 'question-1': ['A', 'B'], 'question-2': 'yes' }
  const inputHash = hashOfInput(asked.approval)
  expect(responseTo(asked, { ...answer, inputHash })).toEqual({
    refused: 'The question "Which?" is not answered.',
  })
  expect(responseTo(asked, { ...answer, inputHash, content })).toEqual({
    response: {
      behavior: 'allow',
      updatedInput: { questions, answers: { 'Which?': 'A, B', 'Sure?': 'yes' } },
    },
  })
})

it('says which of its questions are about our own tools', () => {
  const serverOf = (tool_name: string) => askedOf('r', { ...request, tool_name }, undefined).approval.server
  expect(serverOf('mcp__signalbox__create_task')).toBe('signalbox')
  expect(serverOf('mcp__signalbox-like__create_task')).toBeUndefined()
  expect(serverOf('Bash')).toBeUndefined()
})
