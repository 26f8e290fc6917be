import { expect, test } from 'vitest'
import type { ApprovalAnswer } from '#contract/agent-event.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { NotStarted } from '#lib/program.ts'
import type { AgentEvent } from '../port.ts'
import { openFake } from '../../../test/support/open-fake-codex.ts'

type Asking = Extract<AgentEvent, { type: 'approval' }>

const isApproval = (event: AgentEvent): event is Asking => event.type === 'approval'
const isChunk = (type: string) => (event: AgentEvent) => event.type === 'chunk' && event.chunk.type === type
const noticesIn = (events: AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'chunk' && event.chunk.type === 'data-notice'
      ? [(event.chunk['data'] as { text: string }).text]
      : [],
  )
const textIn = (events: AgentEvent[]) =>
  events
    .flatMap((event) =>
      event.type === 'chunk' && event.chunk.type === 'text-delta' ? [String(event.chunk['delta'])] : [],
    )
    .join('')

function answerTo({ approval }: Asking, more: Partial<ApprovalAnswer> = {}): ApprovalAnswer {
  const { requestId } = approval
  return { requestId, inputHash: hashOfInput(approval), decision: 'granted', ...more }
}

test('a session greets first, says what it is, and takes turn after turn', async () => {
  const codex = await openFake({ recording: 'two-turns' })
  const first = 'FAKE: sh echo hi > out.txt; cat out.txt ;; text All done.'
  expect(await codex.turn(first)).toEqual({ reason: 'completed', message: null })
  expect(await codex.turn('FAKE: think pondering it | second turn text')).toMatchObject({
    reason: 'completed',
  })
  expect(textIn(codex.events)).toBe('All done.second turn text')
  expect(codex.heard().map(({ method }) => method)).toEqual([
    'initialize',
    'initialized',
    'account/read',
    'config/read',
    'fs/readFile',
    'thread/start',
    'model/list',
    'turn/start',
    'turn/start',
  ])
  expect(codex.events[0]).toMatchObject({
    type: 'session',
    facts: {
      sessionRef: 'thread-1',
      began: 'new',
      mode: 'ask',
      modes: [{ id: 'ask' }, { id: 'on-request' }],
      agentVersion: '0.166.0',
    },
  })
  const models = await codex.told((event) => event.type === 'session' && !!event.facts.models)
  expect(models).toMatchObject({ facts: { models: [{ id: 'gpt-a', label: 'A' }] } })
})

test('it runs without its own sandbox, still asks, and is told to trust nobody', async () => {
  const codex = await openFake()
  const start = codex.heard().find(({ method }) => method === 'thread/start')
  const { cwd } = start!['params'] as { cwd: string }
  expect(start).toMatchObject({
    params: {
      approvalPolicy: 'untrusted',
      sandbox: 'danger-full-access',
      config: { projects: { [cwd]: { trust_level: 'untrusted' } } },
    },
  })
})

test.for([
  ['granted', undefined, 'accept', 'sh touch acc.txt ;; text ok', 'completed'],
  ['refused', undefined, 'decline', 'sh touch dec.txt ;; text ok declined', 'completed'],
  ['refused', 'cancel', 'cancel', 'sh touch can.txt ;; text ok', 'interrupted'],
  [
    'granted',
    'acceptForSession',
    'acceptForSession',
    'sh touch ses.txt ;; sh touch ses.txt ;; text ok',
    'completed',
  ],
] as const)('an approval %s by %s is %s to Codex', async ([decision, optionId, told, prompt, reason]) => {
  const codex = await openFake({ recording: 'approvals' })
  const turn = codex.turn(`FAKE: ${prompt}`)
  const asked = (await codex.told(isApproval)) as Asking
  expect(asked.approval).toMatchObject({
    kind: 'tool',
    tool: 'shell',
    subject: prompt.slice(3).split(' ;;')[0],
    readOnly: false,
  })
  const answer = answerTo(asked, { decision, ...(optionId && { optionId }) })
  expect(await codex.agent.tell({ type: 'answer', payload: answer })).toEqual({ outcome: 'delivered' })
  expect(await codex.agent.tell({ type: 'answer', payload: answer })).toMatchObject({ outcome: 'refused' })
  expect(await turn).toMatchObject({ reason })
  // The ids of both sides overlap: this answers Codex's request, and none of ours.
  const reply = codex.heard().find((message) => 'result' in message)
  expect(reply).toEqual({ id: Number(asked.approval.requestId), result: { decision: told } })
  expect(codex.events.filter(({ type }) => type === 'withdrawn')).toEqual([])
})

test.each([
  ['to something else', { inputHash: hashOfInput({ tool: 'shell', input: { command: 'rm -rf /' } }) }],
  ['that means the opposite', { decision: 'refused' as const, optionId: 'accept' }],
  ['that was not offered', { optionId: 'acceptWithExecpolicyAmendment' }],
])('an answer %s is a no, and the turn goes on', async (_, wrong) => {
  const codex = await openFake({ recording: 'approvals' })
  const turn = codex.turn('FAKE: sh touch acc.txt ;; text ok')
  const asked = (await codex.told(isApproval)) as Asking
  const answer = (more: object) => codex.agent.tell({ type: 'answer', payload: answerTo(asked, more) })
  expect(await answer({ requestId: '77' })).toMatchObject({ outcome: 'refused' })
  expect(codex.heard().filter((message) => 'result' in message)).toEqual([])
  expect(await answer(wrong)).toEqual({ outcome: 'refused', reason: expect.any(String) })
  expect(await answer({})).toMatchObject({ outcome: 'refused' })
  expect(await turn).toMatchObject({ reason: 'completed' })
  const { requestId } = asked.approval
  expect(codex.heard().filter((message) => 'result' in message)).toEqual([
    { id: Number(requestId), result: { decision: 'decline' } },
  ])
  expect(codex.events.filter(({ type }) => type === 'withdrawn')).toEqual([
    { type: 'withdrawn', requestId, reason: expect.stringContaining('The answer was not taken: ') },
  ])
})

test('the diff of a change is joined to the question', async () => {
  const codex = await openFake({ recording: 'file-changes' })
  const turn = codex.turn('FAKE: write new.txt hello ;; text ok')
  const asked = (await codex.told(isApproval)) as Asking
  expect(asked.approval).toMatchObject({
    tool: 'apply_patch',
    subject: expect.stringMatching(/new\.txt$/),
    input: { changes: [{ kind: 'add', diff: expect.stringContaining('hello') }] },
  })
  await codex.agent.tell({ type: 'answer', payload: answerTo(asked) })
  expect(await turn).toMatchObject({ reason: 'completed' })
})

test('a call of an MCP tool is asked for as what it is', async () => {
  const servers = [
    {
      type: 'stdio' as const,
      name: 'echo',
      command: '/bin/true',
      args: ['--token=hidden-value'],
      env: { KEY: 'hidden-value' },
    },
    {
      type: 'http' as const,
      name: 'far',
      url: 'https://far.example?key=hidden-value',
      headers: { Authorization: 'hidden-value' },
    },
  ]
  const ownTools = { url: 'http://box/mcp', token: 'hidden-value' }
  const codex = await openFake({ recording: 'mcp', turn: { mcpServers: servers, ownTools } })
  expect(codex.heard().find(({ method }) => method === 'thread/start')).toMatchObject({
    params: {
      config: {
        mcp_servers: {
          echo: { command: '/bin/true', args: ['--token=hidden-value'], env: { KEY: 'hidden-value' } },
          far: {
            url: 'https://far.example?key=hidden-value',
            http_headers: { Authorization: 'hidden-value' },
          },
          // A person may have to answer first.
          signalbox: {
            url: 'http://box/mcp',
            http_headers: { Authorization: 'Bearer hidden-value' },
            tool_timeout_sec: 604_800,
          },
        },
      },
    },
  })
  expect(codex.frames.join('\n')).not.toContain('hidden-value')
  const prompt = 'FAKE: tool ping {"msg":"yo"} ;; text done'
  expect(await codex.turn(prompt)).toMatchObject({ reason: 'completed' }) // without approvals, Codex says no by itself
  const turn = codex.turn(prompt)
  const asked = (await codex.told(isApproval)) as Asking
  expect(asked.approval).toMatchObject({
    kind: 'tool',
    tool: 'echo.ping',
    input: { msg: 'yo' },
  })
  expect(asked.approval.toolCallId).toMatch(/^call_/)
  await codex.agent.tell({
    type: 'answer',
    payload: answerTo(asked, { optionId: 'acceptForSession' }),
  })
  expect(await turn).toMatchObject({ reason: 'completed' })
  expect(codex.heard().find((message) => 'result' in message)).toMatchObject({
    result: { action: 'accept', _meta: { persist: 'session' } },
  })
})

test('a message steers the turn under way; one that Codex does not take then waits for its end', async () => {
  const codex = await openFake({ recording: 'steer-interrupt' })
  const say = (text: string) => codex.agent.tell({ type: 'message', payload: { text, files: [] } })
  const turn = codex.turn('FAKE: slow 10 busy')
  await codex.told(isChunk('text-delta'))
  expect(await say('FAKE: slow 60 tick')).toEqual({ outcome: 'delivered', how: 'queued' }) // recorded as refused
  expect(await say('FAKE: text I was steered')).toEqual({ outcome: 'delivered', how: 'steered' })
  await codex.told((event) => textIn([event]) === 'tick-3 ')
  expect(await codex.agent.tell({ type: 'interrupt', payload: {} })).toEqual({ outcome: 'delivered' })
  expect(await turn).toEqual({ reason: 'interrupted', message: null })
  expect(textIn(codex.events)).toBe('busy-1 I was steeredtick-1 tick-2 tick-3 ')
  expect(codex.heard().findLast(({ method }) => method === 'turn/steer')).toMatchObject({
    params: { threadId: 'thread-1', expectedTurnId: expect.stringMatching(/^01a1e0b8-3f0d/) },
  })
  expect(await say('too late')).toMatchObject({ outcome: 'refused' })
})

test('what waits for the end of a turn that is interrupted is not begun by itself', async () => {
  const codex = await openFake({ recording: 'background-shell' })
  const turn = codex.turn('FAKE: sh sleep 55 ;; text x')
  await codex.told(isChunk('tool-input-available'))
  const message = { text: 'afterwards', files: [] }
  expect(await codex.agent.tell({ type: 'message', payload: message })).toEqual({
    outcome: 'delivered',
    how: 'queued',
  })
  expect(await codex.agent.tell({ type: 'interrupt', payload: {} })).toEqual({ outcome: 'delivered' })
  expect(await turn).toEqual({ reason: 'interrupted', message: null })
  expect(noticesIn(codex.events).at(-1)).toContain('1 message(s)')
})

test('a command that outlives an interrupt is ended, and its end is told in the turn', async () => {
  const codex = await openFake({ recording: 'background-shell' })
  const turn = codex.turn('FAKE: sh sleep 55 ;; text x')
  await codex.told(isChunk('tool-input-available'))
  await codex.agent.tell({ type: 'interrupt', payload: {} })
  expect(await turn).toMatchObject({ reason: 'interrupted' })
  expect(codex.heard().find(({ method }) => method === 'thread/backgroundTerminals/terminate')).toMatchObject(
    {
      params: { threadId: 'thread-1', processId: '96857' },
    },
  )
  expect(codex.events.filter(isChunk('tool-output-error'))).toMatchObject([
    { chunk: { errorText: 'It was ended.' } },
  ])
})

test('a question that the interrupted turn leaves behind is withdrawn', async () => {
  const codex = await openFake({ recording: 'steer-interrupt' })
  const turn = codex.turn('FAKE: sh touch zz ;; text ok')
  const asked = (await codex.told(isApproval)) as Asking
  await codex.agent.tell({ type: 'interrupt', payload: {} })
  expect(await turn).toMatchObject({ reason: 'interrupted' })
  expect(codex.events.filter(({ type }) => type === 'withdrawn')).toMatchObject([
    { requestId: asked.approval.requestId },
  ])
  expect(await codex.agent.tell({ type: 'answer', payload: answerTo(asked) })).toMatchObject({
    outcome: 'refused',
  })
})

test.for(['deaf', 'mute', 'frozen'])('one that is %s to an interrupt is ended', async (behaviour) => {
  const codex = await openFake({ recording: 'background-shell', behaviour, interruptMs: 300 })
  const turn = codex.turn('FAKE: sh sleep 55 ;; text x')
  await codex.told(isChunk(behaviour === 'frozen' ? 'start' : 'tool-input-available'))
  const asked = performance.now()
  expect(await codex.agent.tell({ type: 'interrupt', payload: {} })).toEqual({ outcome: 'delivered' })
  expect(performance.now() - asked).toBeLessThan(4_000)
  expect(await turn).toEqual({
    reason: 'failed',
    message: 'The agent did not answer an interrupt within 0.3 s, and was ended',
  })
  // Not a word more is said to it, and nobody is left who could hear one.
  expect(codex.heard().at(-1)).toMatchObject({
    method: behaviour === 'frozen' ? 'turn/start' : 'turn/interrupt',
  })
  await codex.agent.exited
})

test.for([
  ['error 401 bad key', /401 Unauthorized.*codex login/],
  ['error 400 bad thing', /^bad thing\.$/],
  ['error 429 slow', /429 Too Many Requests/],
  ['error 500 boom', /high demand/],
  ['drop', /stream disconnected/],
] as const)('%s fails the turn in words, and the next one works', async ([prompt, words]) => {
  const codex = await openFake({ recording: 'errors' })
  const end = await codex.turn(`FAKE: ${prompt}`)
  expect(end).toEqual({ reason: 'failed', message: expect.stringMatching(words) })
  expect(await codex.turn('FAKE: text fine again')).toMatchObject({ reason: 'completed' })
})

test('a missing key fails the turn and says how to log in', async () => {
  const codex = await openFake({ recording: 'no-key' })
  expect(await codex.turn('FAKE: text x')).toEqual({
    reason: 'failed',
    message: expect.stringMatching(/Missing environment variable: `FAKE_KEY`.*codex login/),
  })
})

test('who is not logged in is told before anything starts', async () => {
  await expect(openFake({ behaviour: 'logged-out' })).rejects.toThrow(NotStarted)
  await expect(openFake({ behaviour: 'logged-out' })).rejects.toThrow(/codex login/)
})

test('one that ends at once is said not to have started, with its last words', async () => {
  await expect(openFake({ behaviour: 'exits' })).rejects.toThrow(/unrecognized subcommand/)
})

test('a thread is resumed or forked, and one that is unknown begins anew and says so', async () => {
  const known = { sessionRef: 'thread-1', isContinued: true }
  const resumed = await openFake({ recording: 'errors', turn: known })
  await resumed.turn('FAKE: text fine again')
  expect(resumed.events[0]).toMatchObject({ facts: { began: 'resumed', sessionRef: 'thread-1' } })
  expect(resumed.events.filter(({ type }) => type === 'usage')).toMatchObject([
    { usage: { inputTokens: 1000, outputTokens: 50, steps: 1 } },
  ])
  expect(resumed.heard().find(({ method }) => method === 'thread/resume')).toMatchObject({
    params: { threadId: 'thread-1', excludeTurns: true, approvalPolicy: 'untrusted' },
  })
  const forked = await openFake({ recording: 'errors', turn: { ...known, fork: true } })
  await forked.turn('FAKE: text fine again')
  expect(forked.events[0]).toMatchObject({ facts: { began: 'forked' } })
  const unknown = await openFake({ recording: 'errors', turn: { ...known, sessionRef: 'gone' } })
  await unknown.turn('FAKE: text fine again')
  expect(unknown.events[0]).toMatchObject({
    facts: { began: 'new', note: expect.stringContaining('no rollout found for thread id gone') },
  })
})

test('lines that are no messages are skipped and told; the session goes on', async () => {
  const codex = await openFake({ recording: 'errors', behaviour: 'garbles' })
  expect(await codex.turn('FAKE: text fine again')).toMatchObject({ reason: 'completed' })
  expect(noticesIn(codex.events).filter((text) => text.includes('is skipped'))).toHaveLength(4)
  expect(textIn(codex.events)).toBe('fine again')
})

test('a line that is too long is skipped and told', async () => {
  const codex = await openFake({ recording: 'errors', behaviour: 'overflows' })
  expect(await codex.turn('FAKE: text fine again')).toMatchObject({ reason: 'completed' })
  expect(noticesIn(codex.events)).toContainEqual(expect.stringContaining('a message of 17825792 bytes'))
  expect(textIn(codex.events)).toBe('fine again')
})

test('neither words nor end of a sub-agent are those of the turn', async () => {
  const codex = await openFake({ recording: 'errors', behaviour: 'foreign' })
  expect(await codex.turn('FAKE: text fine again')).toEqual({ reason: 'completed', message: null })
  expect(textIn(codex.events)).toBe('fine again')
})

test('one that is killed in the middle of a turn has failed it, with everything closed', async () => {
  const codex = await openFake({ recording: 'two-turns', behaviour: 'dies' })
  const end = await codex.turn('FAKE: sh echo hi > out.txt; cat out.txt ;; text All done.')
  expect(end.reason).toBe('failed')
  expect(await codex.agent.exited).toMatchObject({ signal: 'SIGKILL' })
  expect(await codex.agent.tell({ type: 'interrupt', payload: {} })).toMatchObject({ outcome: 'refused' })
})

test('model and mode hold from the next turn on; a mode that is not there is refused', async () => {
  const codex = await openFake({ recording: 'errors' })
  const wanted = { model: 'gpt-b', mode: 'never' }
  expect(await codex.agent.tell({ type: 'mode', payload: wanted })).toEqual({ outcome: 'delivered' })
  expect(await codex.agent.tell({ type: 'mode', payload: { mode: 'yolo' } })).toMatchObject({
    outcome: 'refused',
  })
  await codex.turn('FAKE: text fine again')
  expect(codex.heard().find(({ method }) => method === 'turn/start')).toMatchObject({
    params: { model: 'gpt-b', approvalPolicy: 'never' },
  })
  expect(codex.events[1]).toMatchObject({ facts: { mode: 'never', model: 'gpt-b' } })
  await expect(openFake({ turn: { mode: 'yolo' } })).rejects.toThrow(/no mode yolo/)
})

test('a file that Codex cannot take is refused with the reason', async () => {
  const { agent } = await openFake()
  const files = [{ url: 'data:application/pdf;base64,AA==', mediaType: 'application/pdf', name: 'a.pdf' }]
  expect(await agent.turn({ text: 'look', files }, async () => undefined)).toEqual({
    reason: 'failed',
    message: 'Codex takes no application/pdf: a.pdf was not sent.',
  })
})

test('is given our tools by another name where its own configuration has that one', async () => {
  const ownTools = { url: 'http://box/mcp', token: 'hidden-value' }
  const codex = await openFake({ behaviour: 'has-ours', turn: { ownTools } })
  const started = codex.heard().find(({ method }) => method === 'thread/start')
  expect(started).toMatchObject({
    params: {
      config: { mcp_servers: { 'signalbox-2': { url: 'http://box/mcp', tool_timeout_sec: 604_800 } } },
    },
  })
  expect(started).not.toMatchObject({ params: { config: { mcp_servers: { signalbox: {} } } } })
})
