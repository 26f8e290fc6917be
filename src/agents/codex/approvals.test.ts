import { expect, test } from 'vitest'
import { askedBy } from './approvals.ts'
import type { Fields } from './fields.ts'
import { Pending } from './pending.ts'
import type { RequestId } from './rpc.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { OpenTools } from './tools.ts'

const ask = (method: string, params: Fields) => askedBy(method, params, new OpenTools())
const command = (params: Fields) => ask('item/commandExecution/requestApproval', params)!.approval

test.for<[Fields, boolean]>([
  [{ command: 'cat a' }, true],
  [{ command: "/bin/bash -lc 'ls -l src'" }, true],
  [{ command: 'find . -delete', commandActions: [{ type: 'listFiles' }] }, false],
  [{ command: "/bin/bash -lc 'cat a | tee b'", commandActions: [{ type: 'read' }] }, false],
  [{ command: 'rg --pre ./evil x', commandActions: [{ type: 'search' }] }, false],
  [{ command: 'cat a', kind: 'writeStdin' }, false],
  [{ command: 'cat a', additionalPermissions: { network: {} } }, false],
  [{ command: 'cat a', networkApprovalContext: { host: 'x' } }, false],
])('%j only looks: %s', ([params, isReadOnly]) => {
  expect(command({ itemId: 'c', ...params }).readOnly).toBe(isReadOnly)
})

test('rules are matched against what the shell is told to run, and never against part of it', () => {
  expect(command({ command: "/bin/bash -lc 'git status; rm -rf x'" }).subject).toBe('git status; rm -rf x')
  expect(command({ command: "/bin/bash -lc 'git status' extra" }).subject).toBe(
    "/bin/bash -lc 'git status' extra",
  )
  expect(command({ command: 'cat', kind: 'writeStdin' }).subject).toBeNull()
})

test('a change is about every file that it touches, also about where one is moved to, and what it would open', () => {
  const change = (changes: Fields[], more: Fields = {}) => {
    const tools = new OpenTools()
    tools.begin({ type: 'fileChange', id: 'f', changes })
    return askedBy('item/fileChange/requestApproval', { itemId: 'f', ...more }, tools)?.approval
  }
  expect(change([{ path: 'src/a' }])).toMatchObject({ subject: 'src/a', isPlace: true })
  expect(change([{ path: 'src/a' }, { path: '/etc/passwd' }])).toMatchObject({
    subject: 'src/a',
    subjects: ['src/a', '/etc/passwd'],
    title: 'Change src/a, /etc/passwd',
  })
  const moved = { path: 'src/a', kind: { type: 'update', move_path: '/etc/a' } }
  expect(change([moved])).toMatchObject({
    subjects: ['src/a', '/etc/a'],
    input: { changes: [{ movedTo: '/etc/a' }] },
  })
  expect(change([{ path: 'src/a' }], { grantRoot: '/etc' })?.subjects).toEqual(['src/a', '/etc'])
  for (const unknown of [[], [{}], [{ path: 'src/a' }, {}]]) {
    expect(change(unknown)).toMatchObject({ subject: null })
    expect(change(unknown)).not.toHaveProperty('subjects')
  }
})

/** Asks and answers; what Codex is told. */
function replyTo(method: string, params: Fields, answer: Fields): unknown {
  const replies: [RequestId, unknown][] = []
  const pending = new Pending((id, result) => replies.push([id, result]))
  const event = pending.ask(5, 't', ask(method, params)!)
  if (event.type !== 'approval') throw new Error('no approval')
  const inputHash = hashOfInput(event.approval)
  const outcome = pending.answer({ requestId: '5', inputHash, decision: 'granted', ...answer })
  expect(outcome).toEqual({ outcome: 'delivered' })
  expect(replies).toEqual([[5, expect.anything()]])
  return replies[0]![1]
}

test('a form of an MCP server is a question with its schema', () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } } }
  const params = { serverName: 'crm', mode: 'form', message: 'Who?', requestedSchema: schema, _meta: null }
  const method = 'mcpServer/elicitation/request'
  expect(ask(method, params)?.approval).toMatchObject({ kind: 'question', title: 'Who?', schema })
  expect(replyTo(method, params, { content: { name: 'Ada' } })).toEqual({
    action: 'accept',
    content: { name: 'Ada' },
    _meta: null,
  })
  expect(replyTo(method, params, { decision: 'refused' })).toMatchObject({ action: 'decline', content: null })
  expect(ask(method, { ...params, mode: 'openai/userVerification' })).toBeUndefined()
})

test('questions of the model are answered by their ids', () => {
  const options = [
    { label: 'Red', description: 'r' },
    { label: 'Blue', description: 'b' },
  ]
  const questions = [{ id: 'q1', header: 'Color', question: 'Which color?', options }]
  const method = 'item/tool/requestUserInput'
  expect(ask(method, { questions, itemId: 'i' })?.approval.questions).toMatchObject([
    { id: 'q1', header: 'Color', choices: [{ id: 'Red' }, { id: 'Blue' }], multiple: false },
  ])
  expect(replyTo(method, { questions }, { content: { q1: 'Blue', other: 'x' } })).toEqual({
    answers: { q1: { answers: ['Blue'] } },
  })
  expect(replyTo(method, { questions }, { decision: 'refused' })).toEqual({ answers: {} })
})

test('permissions are granted as asked for, or not at all', () => {
  const params = { permissions: { network: { enabled: true }, fileSystem: null }, cwd: '/w' }
  const method = 'item/permissions/requestApproval'
  expect(replyTo(method, params, {})).toEqual({ permissions: { network: { enabled: true } }, scope: 'turn' })
  expect(replyTo(method, params, { optionId: 'acceptForSession' })).toMatchObject({ scope: 'session' })
  expect(replyTo(method, params, { decision: 'refused' })).toEqual({ permissions: {}, scope: 'turn' })
})

test('with a turn end its questions, and those of others are refused', () => {
  const replies: RequestId[] = []
  const pending = new Pending((id) => replies.push(id))
  const asked = ask('item/fileChange/requestApproval', { itemId: 'f' })!
  pending.ask(0, 'ours', asked)
  pending.ask(1, 'of a sub-agent', asked)
  expect(pending.close('ours')).toMatchObject([{ requestId: '0' }, { requestId: '1' }])
  expect(replies).toEqual([1])
})

test.each([
  ['to something else', { inputHash: 'other' }, 'This is the answer to something else'],
  ['that is not offered', { optionId: 'perhaps' }, 'Codex does not offer perhaps here'],
  ['that means the opposite', { optionId: 'decline' }, 'Codex does not offer decline here'],
])('an answer %s is a no, and said to be none: nobody would give another', (_, wrong, why) => {
  const replies: [RequestId, unknown][] = []
  const pending = new Pending((id, result) => replies.push([id, result]))
  const asked = ask('item/commandExecution/requestApproval', { itemId: 'c', command: 'rm a' })!
  pending.ask(5, 't', asked)
  const answer = { requestId: '5', inputHash: hashOfInput(asked.approval), decision: 'granted' as const }
  expect(pending.answer({ ...answer, ...wrong })).toEqual({
    outcome: 'refused',
    reason: expect.stringContaining(why),
    events: [
      {
        type: 'withdrawn',
        requestId: '5',
        reason: expect.stringMatching(`^The answer was not taken: ${why}`),
      },
    ],
  })
  expect(replies).toEqual([[5, { decision: 'decline' }]])
  expect(pending.answer(answer)).toMatchObject({ outcome: 'refused' })
  expect(replies).toHaveLength(1)
})

test('a yes is one for this once, where no other is named', () => {
  const replies: unknown[] = []
  const pending = new Pending((_, result) => replies.push(result))
  const asked = ask('item/commandExecution/requestApproval', { itemId: 'c', command: 'rm a' })!
  const { options } = asked.approval
  pending.ask(5, 't', { ...asked, approval: { ...asked.approval, options: options.slice(1) } })
  const inputHash = hashOfInput(asked.approval)
  expect(pending.answer({ requestId: '5', inputHash, decision: 'granted' }).outcome).toBe('refused')
  expect(replies).toEqual([{ decision: 'decline' }])
})

test('only a call of the server that we have handed in is one of our own tools', () => {
  const serverOf = (
    serverName: unknown,
    ownServer?: string,
    meta: Fields = { codex_approval_kind: 'mcp_tool_call' },
  ) =>
    askedBy(
      'mcpServer/elicitation/request',
      { serverName, mode: 'form', message: 'run tool "x"', requestedSchema: {}, _meta: meta },
      new OpenTools(),
      ownServer,
    )?.approval.server
  expect(serverOf('signalbox', 'signalbox')).toBe('signalbox')
  expect(serverOf('signalbox-2', 'signalbox-2')).toBe('signalbox')
  expect(serverOf('signalbox', 'signalbox-2')).toBeUndefined()
  expect(serverOf('signalbox')).toBeUndefined()
  expect(serverOf(undefined)).toBeUndefined()
  expect(serverOf('signalbox', 'signalbox', {})).toBeUndefined() // it asks a question, and no leave to be called
})
