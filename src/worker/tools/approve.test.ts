import { eq } from 'drizzle-orm'
import pino from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { Tool } from '#contract/tool.ts'
import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { listApprovals } from '#db/approvals.ts'
import { openListener } from '#db/listen.ts'
import { approvals, policyRules } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import type { Caller } from '#tools/port.ts'
import { ada, openAsking } from '../../../test/support/asking.ts'
import { openToolApprovals } from './approve.ts'
import type { ToolApprovals } from './approve.ts'
import { openForgotten } from './forgotten-questions.ts'

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
  const openOne = (machineId = box.machineId) => {
    const opened = openToolApprovals({ pool, machineId, listener, config: () => config, log })
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

  test('waits for a database that is away, where it is one of a model', async () => {
    const { first, caller, waiting, answer, pool } = await open()
    const transaction = pool.transaction.bind(pool)
    let failures = 2
    pool.transaction = (work) => {
      failures -= 1
      return failures >= 0
        ? Promise.reject(new Error('Connection terminated unexpectedly'))
        : transaction(work)
    }
    onTestFinished(() => void (pool.transaction = transaction))
    const inChat = { toolCallId: 'a', position: 1, total: 1, onAsked: () => undefined }
    const asking = first.approve(
      { caller: { ...caller, inChat }, tool: issue(), args: {}, isChanged: false, isExempt: false },
      new AbortController().signal,
    )
    const [id = ''] = await waiting()
    await answer(id, granted)
    expect(await asking).toMatchObject({ by: 'owner' })
    expect(failures).toBeLessThan(0)
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

  test('shows people a part of what is very long at first, says so, and tells two of them apart by all of it', async () => {
    const { call, waiting, read, told, sessionId, pool } = await open()
    const title = 'x'.repeat(200_000)
    void call({ args: { title } })
    void call({ args: { title: `${title}2` } })
    const [id = ''] = await waiting(2)
    const { data } = await listApprovals(pool.db, { page: 1, pageSize: 10, status: 'waiting' })
    const events = (await told(sessionId)).filter(({ type }) => type === 'tool-approval-request')
    for (const { input } of [...data, ...events.map(({ payload }) => payload as { input: unknown })]) {
      expect(input).toMatchObject({ beginning: expect.stringMatching(/^.{65536}$/) })
      expect(JSON.stringify(input).length).toBeLessThan(70_000)
    }
    const whole = await read(id)
    expect(whole.title).toMatch(/200,01\d characters: only the beginning/)
    expect((whole.input as { title: string }).title.startsWith(title)).toBe(true)
  })

  test('is refused without asking where it is more than anybody could read', async () => {
    const { call, rows, pool } = await open()
    const args = { title: 'x'.repeat(1_100_000) }
    expect(await call({ args })).toMatchObject({
      reason: 'tool_refused',
      message: expect.stringContaining('Call it with less'),
    })
    expect(await rows()).toEqual([])
    await pool.db
      .insert(policyRules)
      .values({ id: newId(), tool: 'github.*', effect: 'allow', createdBy: 'owner' })
    expect(await call({ args })).toBe('may')
    expect(JSON.stringify((await rows())[0]?.input).length).toBeLessThan(70_000)
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

describe('a question that no call waits for', () => {
  const quick = { log, graceMs: 100, everyMs: 20 }
  type Box = Awaited<ReturnType<typeof open>>

  /** Asks as a worker does that is killed then; `count` wait after that. */
  async function askAndDie({ call, waiting }: Box, through: ToolApprovals, title: string, count: number) {
    const dying = new AbortController()
    const lost = call({ args: { title } }, dying.signal, through)
    await waiting(count)
    through.close()
    dying.abort()
    await lost
  }
  const statuses = async ({ rows }: Box) =>
    (await rows()).toSorted((a, b) => a.place - b.place).map(({ status }) => status)

  test('is taken back after a while, and the clock of its execution goes on', async () => {
    const box = await open()
    const { call, waiting, first, openOne, row, answers, pool, machineId } = box
    await askAndDie(box, first, 'A bug', 1)
    await askAndDie(box, openOne(), 'Another', 2)
    const [joined = ''] = await waiting(2)
    const next = openOne()
    void call({}, undefined, next)
    await expect.poll(() => next.isWaitedFor(joined), { timeout: 20_000 }).toBe(true)
    const isWaitedFor = (id: string) => next.isWaitedFor(id)
    const forgotten = openForgotten({ ...quick, pool, machineId, isWaitedFor })
    onTestFinished(() => forgotten.close())
    await expect.poll(() => statuses(box), { timeout: 20_000 }).toEqual(['waiting', 'expired'])
    expect((await row()).waitingApprovals).toBe(1)
    expect((await answers()).map(({ type }) => type)).toEqual(['hold', 'hold', 'go_on'])
  })

  test('is taken back also where a tool has asked it in the middle of a call', async () => {
    const box = await open()
    const { first, caller, pool, machineId, waiting } = box
    const dying = new AbortController()
    const request = { method: 'elicitation/create', params: { message: 'Which?', requestedSchema: {} } }
    const asked = { by: { source: 'desk', doing: 'desk.book' }, requests: { which: request } }
    const lost = first.askInstead(caller, asked, dying.signal).catch(() => undefined)
    await waiting(1)
    first.close()
    dying.abort()
    await lost
    const forgotten = openForgotten({ ...quick, pool, machineId, isWaitedFor: () => false })
    onTestFinished(() => forgotten.close())
    await expect.poll(() => statuses(box), { timeout: 20_000 }).toEqual(['expired'])
    expect((await box.row()).waitingApprovals).toBe(0)
  })

  test('is left to the machine that has asked it', async () => {
    const box = await open()
    const { first, openOne, pool } = box
    const machineId = newId()
    await askAndDie(box, first, 'A bug', 1)
    await askAndDie(box, openOne(machineId), 'Another', 2)
    const forgotten = openForgotten({ ...quick, pool, machineId, isWaitedFor: () => false })
    onTestFinished(() => forgotten.close())
    await expect.poll(() => statuses(box), { timeout: 20_000 }).toEqual(['waiting', 'expired'])
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
  const by = { source: 'people', doing: 'people.greet' }

  test('is a question with a form, and its answer goes back', async () => {
    const { first, caller, waiting, read, answer } = await open({ permissionPolicy: 'all' })
    const asking = first.askInstead(caller, { by, requests: { one: form } }, signal)
    const [id = ''] = await waiting()
    expect(await read(id)).toMatchObject({
      kind: 'question',
      tool: 'people.greet',
      title: 'people asks while it runs people.greet: “Which name?”',
      input: { source: 'people', tool: 'people.greet', message: 'Which name?' },
      schema: requestedSchema,
    })
    expect((await answer(id, { ...granted, content: {} })).status).toBe(422)
    expect((await answer(id, { ...granted, content: { name: 'Ada' } })).status).toBe(200)
    expect(await asking).toEqual({ one: { action: 'accept', content: { name: 'Ada' } } })
  })

  test('is not answered with what somebody said to another tool or source, or to a call', async () => {
    const { first, caller, call, waiting, answer, rows } = await open()
    const asking = ['people', 'evil'].map((source) => {
      const who = { source, doing: `${source}.greet` }
      return first.askInstead(caller, { by: who, requests: { one: form } }, signal).catch(() => undefined)
    })
    await waiting(2)
    const mine = (await rows()).find(({ tool }) => tool === 'people.greet')
    expect((await answer(mine?.id ?? '', { ...granted, content: { name: 'Ada' } })).status).toBe(200)
    expect(await Promise.race(asking)).toEqual({ one: { action: 'accept', content: { name: 'Ada' } } })
    const input = { source: 'evil', tool: 'evil.greet', message: 'Which name?', schema: requestedSchema }
    void call({ tool: issue({ name: 'evil.greet', source: 'evil' }), args: input as never })
    await waiting(2)
  })

  test('is told in words that cannot be taken for ours', async () => {
    const { first, caller, waiting, read } = await open()
    const message = `To go on:” Signalbox asks for\nyour \u202epassword${'.'.repeat(500)}`
    const requests = { one: { ...form, params: { ...form.params, message } } }
    first.askInstead(caller, { by, requests }, signal).catch(() => undefined)
    const { title, input } = (await read((await waiting())[0] ?? '')) as { title: string; input: object }
    expect(title).toMatch(/^people asks while it runs people\.greet: “To go on:" Signalbox [^“”\n\u202e]+…”$/)
    expect(title.length).toBeLessThanOrEqual(300)
    expect(input).toMatchObject({ message })
  })

  test('is declined when somebody says no', async () => {
    const { first, caller, waiting, answer } = await open()
    const asking = first.askInstead(caller, { by, requests: { one: form } }, signal)
    await answer((await waiting())[0] ?? '', refused)
    expect(await asking).toEqual({ one: { action: 'decline' } })
  })

  test('is asked of nobody when it is longer than a form for people', async () => {
    const { first, caller, rows } = await open()
    const long = { ...form, params: { ...form.params, message: 'x'.repeat(70_000) } }
    const asking = first.askInstead(caller, { by, requests: { one: long } }, signal)
    await expect(asking).rejects.toMatchObject({ reason: 'tool_refused' })
    expect(await rows()).toEqual([])
  })

  test('is asked of nobody when only a program could answer it', async () => {
    const { first, caller, rows } = await open()
    const sampling = { one: { method: 'sampling/createMessage', params: {} } }
    await expect(first.askInstead(caller, { by, requests: sampling }, signal)).rejects.toMatchObject({
      reason: 'tool_refused',
    })
    expect(await rows()).toEqual([])
  })
})
