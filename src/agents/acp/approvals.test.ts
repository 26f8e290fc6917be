import { afterEach, beforeEach, expect, it } from 'vitest'
import { permissionAsked } from './approvals.ts'
import { quirksOf } from './quirks.ts'
import { subjectsOf } from './subjects.ts'
import { beginToolCall } from './tool-call.ts'
import { AcpStage, HeardTurn, brokenParts } from '../../../test/support/scripted-acp/open.ts'

let stage: AcpStage
beforeEach(() => {
  stage = new AcpStage()
})
afterEach(() => stage.close())

const yes = { id: 'yes', label: 'Yes', kind: 'allow_once' }
const always = { id: 'always', label: 'Always', kind: 'allow_always' }
const no = { id: 'no', label: 'No', kind: 'reject_once' }

it('asks with the command that rules are matched against, and answers with the option that means it', async () => {
  const turn = new HeardTurn(await stage.open(), 'ask rm -r build')
  const asked = await turn.asked()
  expect(asked).toEqual({
    requestId: 'acp-1',
    kind: 'tool',
    tool: 'execute',
    title: 'rm -r build',
    input: { command: 'rm -r build' },
    toolCallId: expect.any(String),
    subject: 'rm -r build',
    readOnly: false,
    options: [yes, always, no],
  })
  expect(await turn.answer(asked, 'granted')).toEqual({ outcome: 'delivered' })
  await turn.end
  expect(turn.text()).toBe('answered yes')
  expect(turn.chunks('tool-output-available')).toHaveLength(1)
})

it('takes the option that a person chose', async () => {
  const turn = new HeardTurn(await stage.open(), 'ask ls')
  await turn.answer(await turn.asked(), 'granted', { optionId: 'always' })
  await turn.end
  expect(turn.text()).toBe('answered always')
})

it('refuses with the agent’s own refusal, and tells the tool as denied once', async () => {
  const turn = new HeardTurn(await stage.open(), 'ask ls\nsay on')
  await turn.answer(await turn.asked(), 'refused')
  expect(await turn.end).toEqual({ reason: 'completed', message: null })
  expect(turn.text()).toBe('answered noon')
  expect(turn.chunks().filter(({ type }) => type.startsWith('tool-output'))).toEqual([
    { type: 'tool-output-denied', toolCallId: expect.any(String) },
  ])
  expect(brokenParts(turn)).toEqual([])
})

it('opens the part of a tool that is first heard of in the question, and closes it without a word of the agent', async () => {
  const turn = new HeardTurn(await stage.open({ env: { SCRIPTED_NAME: 'gemini-cli' } }), 'ask-first ls')
  const asked = await turn.asked()
  expect(asked).toMatchObject({ tool: 'run_shell_command', subject: 'ls', input: { title: 'ls' } })
  await turn.answer(asked, 'refused')
  await turn.end
  expect(turn.chunks('tool-input-start', 'tool-input-available', 'tool-output-denied')).toMatchObject([
    { toolCallId: asked.toolCallId, toolName: 'run_shell_command' },
    { toolCallId: asked.toolCallId, input: { title: 'ls' } },
    { toolCallId: asked.toolCallId },
  ])
})

it('takes a turn that a refusal ended for what it is, and not for an interrupt', async () => {
  const turn = new HeardTurn(await stage.open(), 'ask-or-stop ls')
  await turn.answer(await turn.asked(), 'refused')
  expect(await turn.end).toEqual({ reason: 'completed', message: null })
})

it('takes an answer once', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'ask ls')
  const asked = await turn.asked()
  const late = { outcome: 'refused', reason: 'The agent does not wait for this answer.' }
  expect(await turn.answer({ ...asked, requestId: 'acp-7' }, 'granted')).toEqual(late)
  expect(await turn.answer(asked, 'granted')).toEqual({ outcome: 'delivered' })
  expect(await turn.answer(asked, 'granted')).toEqual(late)
  await turn.end
  expect(turn.text()).toBe('answered yes')
  expect(turn.of('withdrawn')).toEqual([])
})

it.each([
  ['ask ls', { inputHash: 'other' }, 'The answer is to something else than was asked.'],
  ['ask ls', { optionId: 'no' }, 'The option no means the opposite of granted.'],
  ['ask ls', { optionId: 'maybe' }, 'There is no option maybe.'],
  [
    'ask-for-good ls',
    {},
    'The agent offers no way to allow it for this once; to allow it for good, its own option has to be named.',
  ],
])('takes an answer that is none for a no, and says so: %s %j', async (prompt, wrong, reason) => {
  const turn = new HeardTurn(await stage.open(), prompt)
  const asked = await turn.asked()
  expect(await turn.answer(asked, 'granted', wrong)).toEqual({ outcome: 'refused', reason })
  expect(await turn.end).toEqual({ reason: 'completed', message: null })
  expect(turn.text()).toBe('answered no')
  const { requestId } = asked
  expect(turn.of('withdrawn')).toEqual([
    { type: 'withdrawn', requestId, reason: `The answer was not taken: ${reason}` },
  ])
  expect(turn.chunks('tool-output-denied')).toHaveLength(1)
  expect(brokenParts(turn)).toEqual([])
})

it('allows for good where that is named', async () => {
  const turn = new HeardTurn(await stage.open(), 'ask-for-good ls')
  await turn.answer(await turn.asked(), 'granted', { optionId: 'always' })
  await turn.end
  expect(turn.text()).toBe('answered always')
})

const diff = (path: string) => ({ type: 'diff', path, newText: '' })
it.each([
  [{ kind: 'execute', rawInput: { command: 'ls', path: 'a' } }, { subject: 'ls' }],
  [{ kind: 'execute', rawInput: { x: 1 } }, { subject: null }],
  [{ kind: 'read', rawInput: { command: ['cat', 'a'] }, locations: [{ path: '/a' }] }, { subject: 'cat a' }],
  [
    { kind: 'read', rawInput: { path: 'a' } },
    { subject: 'a', isPlace: true },
  ],
  [
    { kind: 'fetch', rawInput: { url: 'https://a' } },
    { subject: 'https://a', isPlace: true },
  ],
  [
    { kind: 'edit', locations: [{ path: 'a' }, { path: 'b' }], content: [diff('b'), diff('c')] },
    { subject: 'a', subjects: ['a', 'b', 'c'], isPlace: true },
  ],
  [
    { kind: 'move', rawInput: { path: 'a' }, locations: [{ path: '/etc/b' }] },
    { subject: 'a', subjects: ['a', '/etc/b'], isPlace: true },
  ],
  [
    { kind: 'edit', rawInput: { command: 'create', path: 'a' } },
    { subject: 'create', subjects: ['create', 'a'] },
  ],
  [{ kind: 'other' }, { subject: null }],
])('%j is about %j', (told, expected) => {
  expect(subjectsOf(beginToolCall(told, 'x', quirksOf(undefined)))).toEqual(expected)
})

it('asks about the places of a call that were told before too', () => {
  const quirks = quirksOf(undefined)
  const call = (path: string) => ({ toolCallId: 'x', kind: 'edit', locations: [{ path }] })
  const known = beginToolCall(call('/etc/b'), 'x', quirks)
  const asked = permissionAsked(0, 'r', { toolCall: call('a'), options: [] }, known, quirks)
  expect(asked?.approval.subjects).toEqual(['a', '/etc/b'])
})

it('asks a question with its form, and gives back what was filled in', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'question Which color?')
  const asked = await turn.asked()
  expect(asked).toMatchObject({
    kind: 'question',
    title: 'Which color?',
    schema: { type: 'object', properties: { color: { type: 'string' } } },
    options: [],
  })
  await turn.answer(asked, 'granted', { content: { color: 'blue' } })
  await turn.end
  expect(turn.text()).toBe('{"action":"accept","content":{"color":"blue"}}')
  const second = new HeardTurn(agent, 'question Again?')
  await second.answer(await second.asked(), 'refused')
  await second.end
  expect(second.text()).toBe('{"action":"decline"}')
})

it('asks nobody what nobody could allow: the agent is told no at once, and people hear of it', async () => {
  const turn = new HeardTurn(await stage.open(), 'ask-oddly rm -r build')
  expect(await turn.end).toEqual({ reason: 'completed', message: null })
  expect(turn.of('approval')).toEqual([])
  expect(turn.text()).toBe('answered cancelled')
  expect(turn.chunks('data-notice')).toMatchObject([
    { data: { text: 'The agent offers no way to allow what it asks, and was told no: rm -r build' } },
  ])
  expect(brokenParts(turn)).toEqual([])
})

it('withdraws a question that the agent withdraws', async () => {
  const turn = new HeardTurn(await stage.open(), 'ask-and-withdraw')
  const asked = await turn.asked()
  await turn.end
  expect(turn.of('withdrawn')).toEqual([
    { type: 'withdrawn', requestId: asked.requestId, reason: 'The agent withdrew it.' },
  ])
  expect(turn.text()).toBe('error -32800')
})

it('offers nothing that it did not promise', async () => {
  const turn = new HeardTurn(await stage.open(), 'request fs/write_text_file\nrequest terminal/create')
  expect(await turn.end).toEqual({ reason: 'completed', message: null })
  expect(turn.text().match(/-32601/g)).toHaveLength(2)
  expect(stage.received('initialize')).toMatchObject([
    {
      params: {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      },
    },
  ])
})
