import { describe, expect, test } from 'vitest'
import { ada, openStaffedRegistry } from '../../test/support/registry.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import { listAudit } from '#db/audit-reads.ts'
import { newId } from '#lib/id.ts'

const approver = asPrincipal({ id: newId(), name: 'Eve', scopes: ['approve', 'admin'] })

async function open() {
  const box = await openStaffedRegistry()
  const rule = async (more: object) => {
    const { status, body } = await box.call('POST', '/policies/rules', {
      tool: 'Bash',
      effect: 'allow',
      ...more,
    })
    expect([status, body.error]).toEqual([201, undefined])
    return body.data
  }
  const tried = async (body: object) => (await box.call('POST', '/policies/try', body)).body.data
  return { ...box, rule, tried }
}

describe('a rule', () => {
  test('is changed in part, and the audit says by whom', async () => {
    const { call, rule, pool } = await open()
    const { id, createdAt } = await rule({ argument: 'git *' })
    const changed = await call('PATCH', `/policies/rules/${id}`, { effect: 'deny' })
    expect(changed.body.data).toMatchObject({
      id,
      tool: 'Bash',
      argument: 'git *',
      effect: 'deny',
      createdAt,
    })
    expect((await call('PATCH', `/policies/rules/${id}`, { argument: null })).body.data.argument).toBeNull()
    await call('DELETE', `/policies/rules/${id}`)
    const { data } = await listAudit(pool.db, { page: 1, pageSize: 10, kind: 'policy' })
    expect(data.map(({ subject, actor }) => [subject, actor])).toEqual([
      ['rule removed', 'owner'],
      ['rule changed', 'owner'],
      ['rule changed', 'owner'],
      ['rule added', 'owner'],
    ])
  })

  test('never becomes the same as another one', async () => {
    const { call, rule } = await open()
    await rule({ argument: 'git *' })
    const { id } = await rule({ argument: 'npm *' })
    const answer = await call('PATCH', `/policies/rules/${id}`, { argument: 'git *' })
    expect([answer.status, answer.body.error.code]).toEqual([409, 'rule_exists'])
    expect((await call('PATCH', `/policies/rules/${id}`, { argument: 'npm *' })).status).toBe(200)
  })

  test.each([
    [{ effect: 'maybe' }, 422],
    [{ tool: '' }, 422],
    [{ argument: '' }, 422],
    [{ agentId: newId() }, 422],
    [{ createdBy: 'me' }, 422],
  ])('is not changed to %j', async (change, status) => {
    const { call, rule } = await open()
    const { id } = await rule({})
    expect((await call('PATCH', `/policies/rules/${id}`, change)).status).toBe(status)
    expect((await call('PATCH', `/policies/rules/${newId()}`, { effect: 'ask' })).status).toBe(404)
  })

  test('is the owner’s to change, whatever scopes others have', async () => {
    const { as, rule } = await open()
    const { id } = await rule({})
    expect((await as(approver, 'PATCH', `/policies/rules/${id}`, { effect: 'deny' })).status).toBe(403)
    expect((await as(approver, 'GET', '/policies/rules')).status).toBe(200)
    for (const [method, path, body] of [
      ['GET', '/policies/configured'],
      ['POST', '/policies/try', { tool: 'Bash' }],
    ] as const) {
      expect((await as(ada, method, path, body)).status).toBe(403)
      expect((await as(approver, method, path, body)).status).toBe(200)
      expect((await as(owner, method, path, body)).status).toBe(200)
    }
  })
})

describe('what would be answered', () => {
  test('is told with what decides it: the policy, a rule, or one that is only thought of', async () => {
    const { tried, rule } = await open()
    const sample = { tool: 'Bash', argument: 'git status' }
    expect(await tried(sample)).toMatchObject({
      effect: 'ask',
      decidedBy: 'policy',
      policy: 'ask',
      rule: null,
    })
    expect(await tried({ ...sample, policy: 'all' })).toMatchObject({ effect: 'allow', decidedBy: 'policy' })
    expect(await tried({ ...sample, policy: 'reads', readOnly: true })).toMatchObject({ effect: 'allow' })
    const { id } = await rule({ argument: 'git *' })
    expect(await tried(sample)).toMatchObject({ effect: 'allow', decidedBy: 'rule', rule: { id } })
    expect(await tried({ ...sample, without: id })).toMatchObject({ effect: 'ask', decidedBy: 'policy' })
    const given = { tool: 'Bash', argument: 'git *', effect: 'deny' }
    expect(await tried({ ...sample, rule: given })).toMatchObject({ effect: 'deny', decidedBy: 'given' })
    expect(await tried({ ...sample, argument: 'git a; rm b' })).toMatchObject({ effect: 'ask' })
  })

  test('is a person’s to say where a rule may be about it, and nobody can tell', async () => {
    const { tried, rule } = await open()
    await rule({ argument: 'rm *', effect: 'deny' })
    expect(await tried({ tool: 'Bash', policy: 'all' })).toMatchObject({
      effect: 'ask',
      decidedBy: 'unclear',
    })
  })

  test('follows the agent’s own policy and rules', async () => {
    const { tried, rule, agent } = await open()
    const { id: agentId } = await agent({ permissionPolicy: 'deny' })
    expect(await tried({ agentId, tool: 'Bash' })).toMatchObject({ effect: 'deny', policy: 'deny' })
    await rule({ agentId })
    expect(await tried({ agentId, tool: 'Bash' })).toMatchObject({ effect: 'allow', decidedBy: 'rule' })
    expect(await tried({ tool: 'Bash' })).toMatchObject({ effect: 'ask' })
    const given = { agentId, tool: 'Bash', effect: 'deny' }
    expect(await tried({ tool: 'Bash', rule: given })).toMatchObject({ effect: 'ask', decidedBy: 'policy' })
  })

  test.each([
    [{}],
    [{ tool: 'Bash', argument: '' }],
    [{ tool: 'Bash', agentId: newId() }],
    [{ tool: 'Bash', at: 1 }],
  ])('is not told of %j', async (body) => {
    const { call } = await open()
    expect((await call('POST', '/policies/try', body)).status).toBe(422)
  })
})
