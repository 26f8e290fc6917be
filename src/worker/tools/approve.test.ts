import { eq } from 'drizzle-orm'
import pino from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { Tool } from '#contract/tool.ts'
import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { openListener } from '#db/listen.ts'
import { approvals, policyRules } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import type { Caller } from '#tools/port.ts'
import { ada, openAsking } from '../../../test/support/asking.ts'
import { openToolApprovals } from './approve.ts'

const log = pino({ enabled: false })
const granted = { decision: 'granted' }
const refused = { decision: 'refused', reason: 'Not now' }

const issue = (change: Partial<Tool> = {}): Tool => ({
  name: 'github.create_issue',
  wireName: 'github__create_issue',
  description: 'Creates an issue',
  inputSchema: { type: 'object' },
  annotations: {},
  source: 'github',
  version: '1',
  tags: [],
  deprecated: false,
  definition: 'pinned',
  ...change,
})

async function open(ofAgent: object = {}, who?: Principal) {
  const box = await openAsking(ofAgent)
  const { pool } = box
  const begun = await box.begin(who)
  const { agentId } = await begun.row()
  const config = loadConfig({ env: { HOME: '/nowhere' }, cwd: '/' })
  const listener = openListener(pool.url, log)
  onTestFinished(() => listener.close())
  const openOne = () => {
    const opened = openToolApprovals({ pool, listener, config: () => config, log })
    onTestFinished(() => opened.close())
    return opened
  }
  const caller: Extract<Caller, { kind: 'agent' }> = {
    kind: 'agent',
    id: `agent:${agentId}`,
    agentId: agentId ?? '',
    agentName: 'git',
    allowedTools: [],
    sessionId: begun.sessionId,
    executionId: begun.id,
    onBehalfOf: 'owner',
  }
  const first = openOne()
  /** Settled at once, so that a refusal that nobody looks at yet fails no test. */
  const call = (
    { args = { title: 'A bug' }, isChanged = false, isExempt = false, tool = issue() } = {},
    signal = new AbortController().signal,
    through = first,
  ) =>
    through.approve({ caller, tool, args, isChanged, isExempt }, signal).then(
      () => 'may',
      (error: unknown) => error,
    )
  const rows = () => pool.db.select().from(approvals).where(eq(approvals.askedBy, 'registry'))
  const waiting = async (count = 1) =>
    await expect
      .poll(async () => (await rows()).filter(({ status }) => status === 'waiting'), { timeout: 20_000 })
      .toHaveLength(count)
      .then(async () => (await rows()).filter(({ status }) => status === 'waiting').map(({ id }) => id))
  return { ...box, ...begun, first, caller, openOne, call, rows, waiting }
}

describe('a call that needs a yes', () => {
  test.each([
    ['the owner', undefined, { by: 'owner', isOwner: true }],
    ['somebody else', ada, { by: ada.id, isOwner: false }],
  ])('tells that it was %s who said it', async (_, who, consent) => {
    const { first, caller, waiting, as } = await open({}, who)
    const question = { caller, tool: issue(), args: {}, isChanged: true, isExempt: false }
    const asking = first.approve(question, new AbortController().signal)
    const [id = ''] = await waiting()
    expect((await as(who ?? owner, 'POST', `/approvals/${id}`, granted)).status).toBe(200)
    expect(await asking).toEqual(consent)
  })

  test('is in the ledger like any other question, and goes on when somebody says yes', async () => {
    const { call, waiting, read, answer, answers, row, told, sessionId, id: executionId, rows } = await open()
    const calling = call()
    const [id = ''] = await waiting()
    expect(await read(id)).toMatchObject({
      executionId,
      kind: 'tool',
      tool: 'github.create_issue',
      title: 'github.create_issue',
      input: { title: 'A bug' },
      position: 1,
      danger: 1,
    })
    expect((await row()).waitingApprovals).toBe(1)
    expect((await told(sessionId)).at(-1)).toMatchObject({
      type: 'tool-approval-request',
      payload: { approvalId: id },
    })
    expect((await told(BOARD_STREAM)).at(-1)).toMatchObject({ type: 'approval.asked' })
    expect((await answer(id, granted)).status).toBe(200)
    expect(await calling).toBe('may')
    expect((await rows())[0]?.usedAt).not.toBeNull()
    expect((await row()).waitingApprovals).toBe(0)
    // Its agent asked nothing: only its clock is told.
    const [held, goesOn, ...more] = await answers()
    expect([held?.type, goesOn?.type, more]).toEqual(['hold', 'go_on', []])
    expect(goesOn?.payload).toEqual(held?.payload)
  })

  test('is refused with the reason when somebody says no', async () => {
    const { call, waiting, answer } = await open()
    const calling = call()
    await answer((await waiting())[0] ?? '', refused)
    expect(await calling).toMatchObject({
      reason: 'tool_refused',
      message: expect.stringContaining('Not now'),
    })
  })

  test('is asked no more when whoever called has hung up', async () => {
    const { call, waiting, rows, row, answers } = await open()
    const hangingUp = new AbortController()
    const calling = call({}, hangingUp.signal)
    await waiting()
    hangingUp.abort()
    expect(await calling).toMatchObject({ reason: 'cancelled' })
    await waiting(0)
    expect(await rows()).toMatchObject([{ status: 'expired' }])
    expect((await row()).waitingApprovals).toBe(0)
    expect((await answers()).map(({ type }) => type)).toEqual(['hold', 'go_on'])
  })

  test('is refused when the turn ends first, and in a turn that is over', async () => {
    const { call, waiting, end, told, sessionId } = await open()
    const calling = call()
    await waiting()
    await end()
    expect(await calling).toMatchObject({ reason: 'tool_refused' })
    // That its clock should stand still was said to nobody who could miss it.
    expect((await told(sessionId)).filter(({ type }) => type === 'data-terminal')).toEqual([])
    expect(await call()).toMatchObject({ reason: 'tool_refused', message: expect.stringContaining('over') })
  })

  test('shows people a part of what is very long, and tells two of them apart by all of it', async () => {
    const { call, waiting, rows } = await open()
    const long = 'x'.repeat(200_000)
    void call({ args: { title: `${long}1` } })
    void call({ args: { title: `${long}2` } })
    await waiting(2)
    for (const { input } of await rows()) expect(JSON.stringify(input).length).toBeLessThan(70_000)
  })
})

describe('a yes counts once', () => {
  test('and is there for the same call when the worker was restarted in between', async () => {
    const { call, waiting, answer, openOne, first, rows } = await open()
    const stopping = new AbortController()
    const lost = call({}, stopping.signal)
    const [id = ''] = await waiting()
    first.close()
    stopping.abort()
    expect(await lost).toMatchObject({ reason: 'cancelled' })
    const next = openOne()
    const again = call({}, undefined, next)
    await answer(id, granted)
    expect(await again).toBe('may')
    expect(await rows()).toHaveLength(1)
    void call({}, undefined, next)
    expect(await waiting()).not.toEqual([id])
  })

  test('also when it came while nobody waited for it', async () => {
    const { call, waiting, answer, openOne, first, rows } = await open()
    const stopping = new AbortController()
    const lost = call({}, stopping.signal)
    const [id = ''] = await waiting()
    first.close()
    stopping.abort()
    await lost
    await answer(id, granted)
    expect(await call({}, undefined, openOne())).toBe('may')
    expect(await rows()).toHaveLength(1)
  })

  test('of two that call the same at once, and the other is asked for again', async () => {
    const { call, waiting, answer } = await open()
    const both = [call(), call()]
    const [id = ''] = await waiting()
    await answer(id, granted)
    expect(await Promise.race(both)).toBe('may')
    const [second = ''] = await waiting()
    expect(second).not.toBe(id)
    await answer(second, refused)
    expect((await Promise.all(both)).filter((outcome) => outcome === 'may')).toHaveLength(1)
  })

  test('and only for what was asked', async () => {
    const { call, waiting } = await open()
    void call()
    void call({ args: { title: 'Another bug' } })
    expect(new Set(await waiting(2)).size).toBe(2)
  })
})

describe('nobody is asked', () => {
  const reading = issue({ annotations: { readOnlyHint: true } })

  test('about what only reads, where the policy lets that pass, and it stands in the ledger', async () => {
    const { call, waiting, rows, answers } = await open({ permissionPolicy: 'reads' })
    expect(await call({ tool: reading })).toBe('may')
    expect(await rows()).toMatchObject([{ status: 'granted', answeredBy: 'policy' }])
    expect(await answers()).toEqual([])
    void call({ tool: issue({ annotations: { readOnlyHint: true, destructiveHint: true } }) })
    await waiting()
  })

  test.each(['github.*', 'mcp__signalbox__github__*', 'signalbox.github__create_issue'])(
    'about what a rule for %s refuses',
    async (tool) => {
      const { call, pool, rows } = await open({ permissionPolicy: 'all' })
      await pool.db.insert(policyRules).values({ id: newId(), tool, effect: 'deny', createdBy: 'owner' })
      expect(await call()).toMatchObject({
        reason: 'tool_refused',
        message: expect.stringContaining('a rule'),
      })
      expect(await rows()).toMatchObject([{ status: 'refused', answeredBy: 'policy' }])
    },
  )

  test('again, once somebody has said always: about this tool, whatever it is called with', async () => {
    const { call, waiting, answer, pool } = await open()
    const calling = call()
    expect((await answer((await waiting())[0] ?? '', { ...granted, remember: true })).status).toBe(200)
    expect(await calling).toBe('may')
    expect(await pool.db.select().from(policyRules)).toMatchObject([
      { tool: 'github.create_issue', argument: null, effect: 'allow' },
    ])
    expect(await call({ args: { title: 'Another' } })).toBe('may')
    void call({ tool: issue({ name: 'github.delete_repository' }) })
    await waiting()
  })

  test('again about the same command alone, where the tool runs commands, also one that is called like the tool', async () => {
    const { call, waiting, answer } = await open()
    const tool = issue({ name: 'workspace.execute_command', source: 'workspace' })
    const run = (command: string) => call({ tool, args: { command } as never })
    const calling = run(tool.name)
    await answer((await waiting())[0] ?? '', { ...granted, remember: true })
    expect(await calling).toBe('may')
    expect(await run(tool.name)).toBe('may')
    void run('rm -rf /')
    await waiting()
  })
})

describe('what needs no approval', () => {
  const spawn = issue({ name: 'board.spawn_agent', wireName: 'spawn_agent', source: 'board' })
  const rule = (tool: string, effect: 'deny' | 'ask' | 'allow', agentId: string | null = null) => ({
    id: newId(),
    tool,
    effect,
    agentId,
    createdBy: 'owner',
  })

  test.each(['ask', 'deny'])('is let pass by the policy %s, and leaves nothing', async (permissionPolicy) => {
    const { call, rows, pool, told, sessionId } = await open({ permissionPolicy })
    const before = (await told(sessionId)).length
    await pool.db.insert(policyRules).values([rule('github.*', 'deny'), rule('board.*', 'allow')])
    expect(await call({ tool: spawn, isExempt: true })).toBe('may')
    expect(await rows()).toEqual([])
    expect(await told(sessionId)).toHaveLength(before)
  })

  test.each(['board.spawn_agent', 'board.*', 'mcp__signalbox__spawn_agent'])(
    'is refused by a rule for %s, whatever the policy is',
    async (tool) => {
      const { call, pool, rows } = await open({ permissionPolicy: 'all' })
      await pool.db.insert(policyRules).values(rule(tool, 'deny'))
      expect(await call({ tool: spawn, isExempt: true })).toMatchObject({ reason: 'tool_refused' })
      expect(await rows()).toMatchObject([{ status: 'refused', answeredBy: 'policy' }])
    },
  )

  test('is asked about where a rule says so', async () => {
    const { call, pool, waiting, answer, caller } = await open({ permissionPolicy: 'all' })
    await pool.db.insert(policyRules).values(rule('board.spawn_agent', 'ask', caller.agentId))
    const calling = call({ tool: spawn, isExempt: true })
    await answer((await waiting())[0] ?? '', granted)
    expect(await calling).toBe('may')
  })
})

test.each([
  ['deny', 'all', 'refused', { reason: 'tool_refused' }],
  ['ask', 'all', 'waiting', 'may'],
  ['allow', 'ask', 'granted', 'may'],
] as const)(
  'a rule that says %s of a command holds for an agent that runs it through us',
  async (effect, permissionPolicy, status, outcome) => {
    const { call, pool, rows, waiting, answer } = await open({ permissionPolicy })
    const tool = issue({ name: 'workspace.execute_command', source: 'workspace' })
    await pool.db
      .insert(policyRules)
      .values({ id: newId(), tool: 'command', argument: 'git push*', effect, createdBy: 'owner' })
    const calling = call({ tool, args: { command: 'git push origin' } as never })
    await expect.poll(rows, { timeout: 20_000 }).toMatchObject([{ status, subject: 'git push origin' }])
    if (status === 'waiting') await answer((await waiting())[0] ?? '', granted)
    expect([await calling]).toMatchObject([outcome])
  },
)

test('a definition that is another than the accepted one is always for a person, who sees it', async () => {
  const { call, waiting, read, answer } = await open({ permissionPolicy: 'all' })
  expect(await call()).toBe('may')
  const calling = call({ isChanged: true })
  const [id = ''] = await waiting()
  expect(await read(id)).toMatchObject({
    title: expect.stringContaining('changed'),
    input: { arguments: { title: 'A bug' }, definition: { description: 'Creates an issue' } },
  })
  await answer(id, granted)
  expect(await calling).toBe('may')
})

describe('what a tool asks of a person in the middle of a call', () => {
  const requestedSchema = {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  }
  const form = {
    method: 'elicitation/create',
    params: { mode: 'form', message: 'Which name?', requestedSchema },
  }
  const { signal } = new AbortController()

  test('is a question with a form, and its answer goes back', async () => {
    const { first, caller, waiting, read, answer } = await open({ permissionPolicy: 'all' })
    const asking = first.askInstead(caller, { one: form }, signal)
    const [id = ''] = await waiting()
    expect(await read(id)).toMatchObject({ kind: 'question', title: 'Which name?', schema: requestedSchema })
    expect((await answer(id, { ...granted, content: {} })).status).toBe(422)
    expect((await answer(id, { ...granted, content: { name: 'Ada' } })).status).toBe(200)
    expect(await asking).toEqual({ one: { action: 'accept', content: { name: 'Ada' } } })
  })

  test('is declined when somebody says no', async () => {
    const { first, caller, waiting, answer } = await open()
    const asking = first.askInstead(caller, { one: form }, signal)
    await answer((await waiting())[0] ?? '', refused)
    expect(await asking).toEqual({ one: { action: 'decline' } })
  })

  test('is asked of nobody when only a program could answer it', async () => {
    const { first, caller, rows } = await open()
    const sampling = { one: { method: 'sampling/createMessage', params: {} } }
    await expect(first.askInstead(caller, sampling, signal)).rejects.toMatchObject({ reason: 'tool_refused' })
    expect(await rows()).toEqual([])
  })
})
