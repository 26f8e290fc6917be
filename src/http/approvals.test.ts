import { describe, expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { policyRules } from '#db/schema.ts'
import { expireOverdue } from '#flows/expire-approvals.ts'
import { newId } from '#lib/id.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { ada, openAsking, wish } from '../../test/support/asking.ts'
import { codeOf, fieldOf } from '../../test/support/git-registry.ts'
import { bob } from '../../test/support/registry.ts'

const granted = { decision: 'granted' }
const refused = { decision: 'refused' }

describe('a question of an agent', () => {
  test('waits, is counted, and is told to session and board', async () => {
    const { begin, read, told } = await openAsking()
    const { id, sessionId, ask, row } = await begin()
    const approvalId = await ask()
    expect(await read(approvalId)).toMatchObject({
      id: approvalId,
      executionId: id,
      sessionId,
      status: 'waiting',
      tool: 'Bash',
      input: { command: 'git push' },
      subject: 'git push',
      danger: 1,
      position: 1,
      total: 1,
      answeredBy: null,
    })
    expect((await row()).waitingApprovals).toBe(1)
    expect((await told(sessionId)).at(-1)).toMatchObject({
      type: 'tool-approval-request',
      executionId: id,
      payload: { approvalId, toolCallId: 'call_1' },
    })
    const board = (await told(BOARD_STREAM)).at(-1)
    expect(board?.type).toBe('approval.asked')
    expect(JSON.stringify(board?.payload)).not.toContain('git push')
  })

  test('that is asked again is the same question', async () => {
    const { begin, call } = await openAsking()
    const { ask, row } = await begin()
    expect(await ask()).toBe(await ask())
    expect((await call('GET', '/approvals')).body.meta.total).toBe(1)
    expect((await row()).waitingApprovals).toBe(1)
  })

  test('that it withdraws has expired, and so have all when it ends', async () => {
    const { begin, read, answer } = await openAsking()
    const { ask, withdraw, end, row, answers } = await begin()
    const [first, second] = [await ask(), await ask({ requestId: '2' })]
    await withdraw('1')
    expect(await read(first)).toMatchObject({ status: 'expired', reason: 'It changed its mind' })
    expect(codeOf(await answer(first, granted))).toEqual([409, 'approval_expired'])
    expect((await row()).waitingApprovals).toBe(1)
    await end()
    expect((await read(second)).status).toBe('expired')
    expect(codeOf(await answer(second, granted))).toEqual([409, 'approval_expired'])
    expect(await row()).toMatchObject({ waitingApprovals: 0, status: 'succeeded' })
    expect(await answers()).toEqual([])
  })
})

describe('a yes that the agent could not take', () => {
  test.each(['by a person', 'by a policy'])('%s has come to nothing, and says why', async (how) => {
    const { begin, read, answer, told } = await openAsking({
      permissionPolicy: how === 'by a policy' ? 'all' : 'ask',
    })
    const { ask, withdraw, row, sessionId } = await begin()
    const id = await ask()
    if (how === 'by a person') await answer(id, granted)
    expect((await read(id)).status).toBe('granted')
    await withdraw('1')
    expect(await read(id)).toMatchObject({
      status: 'expired',
      answeredBy: 'agent',
      reason: 'It changed its mind',
    })
    expect((await told(sessionId)).at(-1)).toMatchObject({
      type: 'tool-approval-response',
      payload: { approvalId: id, approved: false, status: 'expired', reason: 'It changed its mind' },
    })
    expect((await told(BOARD_STREAM)).at(-1)).toMatchObject({
      type: 'approval.answered',
      payload: { approval: { id, status: 'expired' } },
    })
    expect((await row()).waitingApprovals).toBe(0)
  })

  test('is nothing to a no', async () => {
    const { begin, read, answer } = await openAsking()
    const { ask, withdraw } = await begin()
    const id = await ask()
    await answer(id, refused)
    await withdraw('1')
    expect(await read(id)).toMatchObject({ status: 'refused', answeredBy: 'owner' })
  })
})

describe('an answer', () => {
  test.each(['granted', 'refused'] as const)(
    '%s reaches the agent once, bound to what was shown',
    async (decision) => {
      const { begin, answer, told } = await openAsking()
      const { ask, answers, row, sessionId } = await begin()
      const id = await ask()
      const { status, body } = await answer(id, { decision, reason: 'Because' })
      expect([status, body.data]).toMatchObject([
        200,
        { status: decision, answeredBy: 'owner', reason: 'Because', position: 0, total: 0 },
      ])
      const payload = { requestId: '1', inputHash: hashOfInput(wish()), decision, reason: 'Because' }
      expect(await answers()).toEqual([{ type: 'answer', payload }])
      expect((await row()).waitingApprovals).toBe(0)
      expect((await told(sessionId)).at(-1)).toMatchObject({
        type: 'tool-approval-response',
        payload: { approvalId: id, approved: decision === 'granted', status: decision, by: 'owner' },
      })
      expect((await told(BOARD_STREAM)).at(-1)).toMatchObject({
        type: 'approval.answered',
        payload: { approval: { id, status: decision }, by: 'owner' },
      })
    },
  )

  test('is given once, however many answer at the same time', async () => {
    const { begin, answer } = await openAsking()
    const { ask, answers } = await begin()
    const id = await ask()
    const given = await Promise.all([granted, refused, granted, refused].map((one) => answer(id, one)))
    expect(given.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    const first = given.find(({ status }) => status === 200)!.body.data.status
    const second = given.find(({ status }) => status === 409)!.body.error
    expect(second).toMatchObject({
      code: 'approval_already_answered',
      context: { status: first, answeredBy: 'owner' },
    })
    expect(await answers()).toMatchObject([{ payload: { decision: first } }])
  })

  test('needs the scope approve, a person, and a session of their own; whatever else is not there', async () => {
    const { begin, as, call } = await openAsking()
    const { ask, answers } = await begin(ada)
    const id = await ask()
    const path = `/approvals/${id}`
    expect(codeOf(await as({ ...ada, scopes: ['run', 'board'] }, 'POST', path, granted))).toEqual([
      403,
      'forbidden',
    ])
    const agent = { ...ada, kind: 'agent' } as unknown as Principal
    expect(codeOf(await as(agent, 'POST', path, granted))).toEqual([403, 'forbidden'])
    const other: Principal = { ...bob, scopes: ['approve'] }
    expect(codeOf(await as(other, 'POST', path, granted))).toEqual([404, 'approval_not_found'])
    expect(codeOf(await as(other, 'GET', path))).toEqual([404, 'approval_not_found'])
    expect((await as(other, 'GET', '/approvals')).body).toMatchObject({ data: [], meta: { total: 0 } })
    expect(codeOf(await call('POST', `/approvals/${newId()}`, granted))).toEqual([404, 'approval_not_found'])
    expect(codeOf(await as({ ...ada, scopes: ['tools'] }, 'GET', '/approvals'))).toEqual([403, 'forbidden'])
    expect(await answers()).toEqual([])
    expect((await as(ada, 'POST', path, granted)).status).toBe(200)
    // Not even that it was answered.
    expect(codeOf(await as(other, 'POST', path, granted))).toEqual([404, 'approval_not_found'])
  })

  test('to an execution that is over comes too late', async () => {
    const { begin, answer, end } = await openAsking()
    const { id, ask, answers } = await begin()
    const approvalId = await ask()
    await end(id)
    expect(codeOf(await answer(approvalId, granted))).toEqual([409, 'execution_ended'])
    expect(await answers()).toEqual([])
  })

  test('names one of the options, and one that means the same', async () => {
    const { begin, answer, as } = await openAsking()
    const { ask, answers } = await begin(ada)
    const id = await ask()
    expect(fieldOf(await answer(id, { ...granted, optionId: 'perhaps' }))).toEqual([422, 'optionId'])
    expect(fieldOf(await answer(id, { ...granted, optionId: 'no' }))).toEqual([422, 'optionId'])
    expect(fieldOf(await answer(id, { ...refused, optionId: 'yes' }))).toEqual([422, 'optionId'])
    const always = await as(ada, 'POST', `/approvals/${id}`, { ...granted, optionId: 'always' })
    expect(codeOf(always)).toEqual([403, 'forbidden'])
    expect((await answer(id, { ...granted, optionId: 'yes' })).status).toBe(200)
    expect(await answers()).toMatchObject([{ payload: { optionId: 'yes' } }])
  })
})

describe('what can only be allowed for good', () => {
  const options = [
    { id: 'always', label: 'Always', kind: 'allow_always' as const },
    { id: 'no', label: 'No', kind: 'reject_once' as const },
  ]

  test('is not allowed by saying yes, nor by a policy: the owner names it', async () => {
    const { begin, answer, as, read } = await openAsking({ permissionPolicy: 'all' })
    const { ask, answers } = await begin(ada)
    const id = await ask({ kind: 'plan', options })
    expect((await read(id)).status).toBe('waiting')
    const plain = await answer(id, granted)
    expect(fieldOf(plain)).toEqual([422, 'optionId'])
    expect(plain.body.error.message).toContain('always')
    const named = { ...granted, optionId: 'always' }
    expect(codeOf(await as(ada, 'POST', `/approvals/${id}`, named))).toEqual([403, 'forbidden'])
    expect(await answers()).toEqual([])
    expect((await answer(id, named)).status).toBe(200)
    expect(await answers()).toMatchObject([{ payload: { decision: 'granted', optionId: 'always' } }])
  })

  test('is refused like anything else', async () => {
    const { begin, answer } = await openAsking()
    expect((await answer(await (await begin()).ask({ options }), refused)).status).toBe(200)
  })
})

describe('a form', () => {
  const questions = [
    { id: 'colour', question: 'Which?', choices: [{ id: 'red', label: 'Red' }], multiple: false },
    { id: 'sizes', question: 'Which ones?', choices: [], multiple: true },
  ]

  test.each([
    [undefined, 'content.colour'],
    [{ colour: 'red' }, 'content.sizes'],
    [{ colour: '', sizes: ['s'] }, 'content.colour'],
    [{ colour: ['red'], sizes: ['s'] }, 'content.colour'],
    [{ colour: 'red', sizes: [] }, 'content.sizes'],
    [{ colour: 'red', sizes: [1] }, 'content.sizes'],
    [{ colour: 'red', sizes: 's', extra: 'x' }, 'content.extra'],
  ])('of questions is not answered by %j', async (content, field) => {
    const { begin, answer } = await openAsking()
    const id = await (await begin()).ask({ kind: 'question', questions })
    expect(fieldOf(await answer(id, { ...granted, content }))).toEqual([422, field])
  })

  test('of questions brings its answers to the agent', async () => {
    const { begin, answer } = await openAsking({ permissionPolicy: 'all' })
    const { ask, answers } = await begin()
    const id = await ask({ kind: 'question', questions })
    const content = { colour: 'something else', sizes: ['s', 'm'] }
    expect((await answer(id, { ...granted, content })).status).toBe(200)
    expect(await answers()).toMatchObject([{ payload: { decision: 'granted', content } }])
  })

  test('with a schema is checked by it', async () => {
    const { begin, answer } = await openAsking()
    const { ask, answers } = await begin()
    const schema = {
      type: 'object',
      properties: { count: { type: 'integer' }, unit: { type: 'string', enum: ['a'], enumNames: ['A'] } },
      required: ['count'],
    }
    const id = await ask({ kind: 'question', schema })
    for (const [content, field] of [
      [undefined, 'content.count'],
      [{ count: 'x' }, 'content.count'],
      [{ count: 1, unit: 'b' }, 'content.unit'],
      [{ count: 1, other: 2 }, 'content.other'],
    ])
      expect(fieldOf(await answer(id, { ...granted, content }))).toEqual([422, field])
    expect((await answer(id, { ...granted, content: { count: 1 } })).status).toBe(200)
    expect(await answers()).toMatchObject([{ payload: { content: { count: 1 } } }])
  })

  test('that is no schema is left to the agent', async () => {
    const { begin, answer } = await openAsking()
    const id = await (await begin()).ask({ kind: 'question', schema: { type: 'nonsense' } })
    expect((await answer(id, { ...granted, content: { a: 1 } })).status).toBe(200)
  })

  test('is not filled in where there is none, nor with a no', async () => {
    const { begin, answer } = await openAsking()
    const { ask } = await begin()
    const [plain, form] = [await ask(), await ask({ requestId: '2', kind: 'question', questions })]
    expect(fieldOf(await answer(plain, { ...granted, content: { a: 1 } }))).toEqual([422, 'content'])
    expect(fieldOf(await answer(form, { ...refused, content: { colour: 'red' } }))).toEqual([422, 'content'])
    expect((await answer(form, refused)).status).toBe(200)
  })
})

describe('what is remembered', () => {
  test('is answered the same way from now on, that and nothing else', async () => {
    const { begin, answer, read, call, agent } = await openAsking()
    const { ask, answers } = await begin()
    await answer(await ask({ subject: 'ls *' }), { ...granted, remember: true })
    expect((await call('GET', '/policies/rules')).body.data).toMatchObject([
      { agentId: agent.id, tool: 'Bash', argument: String.raw`ls \*`, effect: 'allow', createdBy: 'owner' },
    ])
    const again = await ask({ requestId: '2', subject: 'ls *' })
    expect(await read(again)).toMatchObject({ status: 'granted', answeredBy: 'policy' })
    expect((await read(await ask({ requestId: '3', subject: 'ls /etc' }))).status).toBe('waiting')
    expect(await answers()).toMatchObject([
      { payload: { requestId: '1', decision: 'granted' } },
      { payload: { requestId: '2', decision: 'granted' } },
    ])
    await answer(await ask({ requestId: '4', subject: 'rm' }), { ...refused, remember: true })
    expect(await read(await ask({ requestId: '5', subject: 'rm' }))).toMatchObject({
      status: 'refused',
      answeredBy: 'policy',
    })
  })

  test('of several subjects is a rule for each', async () => {
    const { begin, answer, read, call } = await openAsking()
    const { ask } = await begin()
    const change = (requestId: string, ...subjects: string[]) =>
      ask({ requestId, tool: 'Edit', subject: subjects[0]!, subjects, isPlace: true })
    await answer(await change('1', 'src/a*', 'src/b'), { ...granted, remember: true })
    const rules = (await call('GET', '/policies/rules')).body.data
    expect(rules.map(({ argument }: { argument: string }) => argument).toSorted()).toEqual([
      String.raw`src/a\*`,
      'src/b',
    ])
    expect((await read(await change('2', 'src/b', 'src/a*'))).status).toBe('granted')
    expect((await read(await change('3', 'src/b', 'src/c'))).status).toBe('waiting')
  })

  test('needs something to know it by; without that a plain yes is still possible', async () => {
    const { begin, answer, pool } = await openAsking()
    const { ask, answers } = await begin()
    const id = await ask({ subject: null })
    const always = await answer(id, { ...granted, remember: true })
    expect(fieldOf(always)).toEqual([422, 'remember'])
    expect(always.body.error.message).toContain('names no command, file or address')
    expect(await pool.db.$count(policyRules)).toBe(0)
    expect(await answers()).toEqual([])
    expect((await answer(id, granted)).status).toBe(200)
  })

  test('takes the place of what was said before', async () => {
    const { begin, answer, pool, agent } = await openAsking()
    const { ask } = await begin()
    const rule = { id: newId(), agentId: agent.id, tool: 'Bash', argument: 'git push', createdBy: 'owner' }
    await pool.db.insert(policyRules).values({ ...rule, effect: 'ask' })
    expect((await answer(await ask(), { ...granted, remember: true })).status).toBe(200)
    expect(await pool.db.select().from(policyRules)).toMatchObject([{ effect: 'allow' }])
  })

  test('is the owner’s to say, and only of tools', async () => {
    const { begin, answer, as, pool } = await openAsking()
    const { ask } = await begin(ada)
    const remember = { ...granted, remember: true }
    const id = await ask()
    expect(codeOf(await as(ada, 'POST', `/approvals/${id}`, remember))).toEqual([403, 'forbidden'])
    expect(fieldOf(await answer(await ask({ requestId: '2', kind: 'plan' }), remember))).toEqual([
      422,
      'remember',
    ])
    expect(await pool.db.$count(policyRules)).toBe(0)
  })
})

describe('a policy', () => {
  test('answers without a person, in the ledger and to the agent, and bothers nobody', async () => {
    const { begin, read, told } = await openAsking({ permissionPolicy: 'reads' })
    const { ask, answers, row, sessionId } = await begin()
    const before = (await told(BOARD_STREAM)).length
    const id = await ask({ readOnly: true })
    expect(await read(id)).toMatchObject({ status: 'granted', answeredBy: 'policy', position: 0 })
    expect((await told(sessionId)).slice(-2).map(({ type }) => type)).toEqual([
      'tool-approval-request',
      'tool-approval-response',
    ])
    expect(await answers()).toMatchObject([
      { type: 'answer', payload: { requestId: '1', decision: 'granted' } },
    ])
    expect((await row()).waitingApprovals).toBe(0)
    expect(await told(BOARD_STREAM)).toHaveLength(before)
    expect((await read(await ask({ requestId: '2' }))).status).toBe('waiting')
  })

  test('that refuses says so to the agent', async () => {
    const { begin } = await openAsking({ permissionPolicy: 'deny' })
    const { ask, answers } = await begin()
    await ask()
    expect(await answers()).toMatchObject([
      { payload: { decision: 'refused', reason: 'Refused by a rule, without asking anybody' } },
    ])
  })

  test('of the configuration holds for every agent', async () => {
    const { begin, read } = await openAsking({}, [{ tool: 'Bash', argument: 'git *', effect: 'allow' }])
    const { ask } = await begin()
    expect((await read(await ask())).status).toBe('granted')
    expect((await read(await ask({ requestId: '2', subject: 'git push; rm x' }))).status).toBe('waiting')
  })
})

describe('what nobody answers', () => {
  test('expires, and is a no to the agent', async () => {
    const { begin, read, answer, pool, told } = await openAsking()
    const { ask, answers, row, sessionId } = await begin()
    const [late, early] = [await ask({}, -1), await ask({ requestId: '2' })]
    expect(codeOf(await answer(late, granted))).toEqual([409, 'approval_expired'])
    await Promise.all([expireOverdue(pool), expireOverdue(pool)])
    expect(await read(late)).toMatchObject({ status: 'expired', reason: 'Nobody answered in time' })
    expect((await read(early)).status).toBe('waiting')
    expect(await answers()).toMatchObject([
      { payload: { requestId: '1', decision: 'refused', reason: 'Nobody answered in time' } },
    ])
    expect((await row()).waitingApprovals).toBe(1)
    expect((await told(sessionId)).at(-1)).toMatchObject({ payload: { approved: false, status: 'expired' } })
    expect(codeOf(await answer(late, granted))).toEqual([409, 'approval_expired'])
  })
})

test('approvals are listed by what they are about', async () => {
  const { begin, call, answer } = await openAsking()
  const [one, two] = [await begin(), await begin()]
  const first = await one.ask({ readOnly: true })
  const second = await two.ask()
  const third = await two.ask({ requestId: '2' })
  const list = async (query: string) =>
    (await call('GET', `/approvals?${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await list('status=waiting')).toEqual([second, third, first]) // the riskiest first
  expect(await list('')).toEqual([third, second, first])
  expect(await list(`executionId=${one.id}`)).toEqual([first])
  expect(await list(`sessionId=${two.sessionId}`)).toEqual([third, second])
  expect(await list('page=2&pageSize=2')).toEqual([first])
  const { data } = (await call('GET', '/approvals')).body
  expect(data[0]).toMatchObject({ id: third, position: 2, total: 2 })
  await answer(second, refused)
  expect(await list('status=refused')).toEqual([second])
  expect((await call('GET', `/approvals/${third}`)).body.data).toMatchObject({ position: 1, total: 1 })
  expect((await call('GET', '/approvals?status=lost')).status).toBe(422)
})

describe('rules', () => {
  test('are written by the owner, read by those who may answer', async () => {
    const { as, call, agent } = await openAsking()
    const rule = { agentId: agent.id, tool: 'Bash', argument: 'git *', effect: 'allow' }
    expect(codeOf(await as(ada, 'POST', '/policies/rules', rule))).toEqual([403, 'forbidden'])
    const made = await call('POST', '/policies/rules', rule)
    expect([made.status, made.body.data]).toMatchObject([201, { ...rule, createdBy: 'owner' }])
    expect(codeOf(await call('POST', '/policies/rules', rule))).toEqual([409, 'rule_exists'])
    expect((await call('POST', '/policies/rules', { tool: '*', effect: 'ask' })).body.data).toMatchObject({
      agentId: null,
      argument: null,
    })
    expect(fieldOf(await call('POST', '/policies/rules', { ...rule, agentId: newId() }))).toEqual([
      422,
      'agentId',
    ])
    expect((await as(ada, 'GET', '/policies/rules')).body.meta.total).toBe(2)
    expect(codeOf(await as({ ...ada, scopes: ['run'] }, 'GET', '/policies/rules'))).toEqual([
      403,
      'forbidden',
    ])
    const path = `/policies/rules/${made.body.data.id}`
    expect(codeOf(await as(ada, 'DELETE', path))).toEqual([403, 'forbidden'])
    expect((await call('DELETE', path)).status).toBe(204)
    expect(codeOf(await call('DELETE', path))).toEqual([404, 'rule_not_found'])
  })
})

test('what an agent asks about a tool of ours is passed on, for the registry asks; any other is not', async () => {
  const { begin, read } = await openAsking()
  const { ask, row } = await begin()
  const own = { tool: 'mcp__signalbox__create_task', subject: null, server: 'signalbox' }
  expect(await read(await ask({ ...own, isOwnTool: true }))).toMatchObject({
    status: 'granted',
    answeredBy: 'policy',
  })
  expect((await row()).waitingApprovals).toBe(0)
  expect((await read(await ask({ ...own, requestId: '2' }))).status).toBe('waiting')
})
