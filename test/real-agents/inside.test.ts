import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEntry } from '#contract/audit.ts'
import { livingKeepers } from '../faults/executions/faults.ts'
import { killChild } from '../support/kill-child.ts'
import { openInside } from './inside-stage.ts'
import type { InsideStage } from './inside-stage.ts'

// Real agents in walls without a network: the model is on this machine's loopback, and only the keeper's gate leads there.

const patience = { timeout: 60_000, interval: 100 }

describe.each(['docker', 'sandbox'] as const)('in %s', (driver) => {
  let stage: InsideStage
  beforeAll(async () => {
    stage = await openInside(driver)
  }, 180_000)
  afterAll(() => stage?.close(), 120_000)

  test.each(['claude', 'codex'] as const)(
    '%s finishes a turn with a question while the worker is killed, and goes on with it later',
    async (name) => {
      const { box, model, key } = stage
      const session = await stage.begin(name)
      const first = await session.start(`[[bash:touch made-by-${name}.txt]] [[text:So be it.]]`)
      const question = await session.question(first)
      await killChild(box, 'worker')
      const answer = { decision: 'granted' }
      await expect
        .poll(async () => (await box.call('POST', `/approvals/${question}`, answer)).status, patience)
        .toBe(200)
      expect(await session.ended(first)).toMatchObject({ status: 'succeeded', error: null })
      expect(await session.command('ls')).toContain(`made-by-${name}.txt`)

      // The model has seen the real key, and nobody inside can.
      expect([...model.keys].filter((sent) => !sent.includes(key))).toEqual([])
      expect(model.keys.size).toBeGreaterThan(0)
      const sought = key.replace('real', 'rea[l]')
      const found = await session.command(
        `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a '${sought}'; grep -rl '${sought}' /workspace /home/agent /tmp /run /etc /opt/signalbox 2>/dev/null; true`,
      )
      expect(found).toBe('')

      const second = await session.start('[[text:Still here.]]')
      expect(await session.ended(second)).toMatchObject({ status: 'succeeded' })
      for (const { identity } of livingKeepers(box.home)) process.kill(identity.pid, 'SIGKILL')
      const third = await session.start('[[text:Back again.]]')
      expect(await session.ended(third)).toMatchObject({ status: 'succeeded', error: null })
      expect(model.turns.at(-1)?.heard.join('\n')).toContain(`made-by-${name}.txt`)
      expect(model.complaints).toEqual([])
    },
  )

  test('our own tools are in reach, by a token that the gate lets pass', async () => {
    const { box } = stage
    const session = await stage.begin('claude')
    const title = `Made in ${driver}`
    const turn = await session.start(`[[call:create_task {"title":"${title}"}]] [[text:Done.]]`)
    const { status, error, agentId } = await session.ended(turn)
    expect([status, error, stage.model.complaints]).toEqual(['succeeded', null, []])
    const { body } = await box.call('GET', `/tasks?q=${encodeURIComponent(title)}`)
    expect(body.data).toMatchObject([{ title, createdBy: `agent:${agentId}` }])
  })

  test('another host is refused, and both are in the book', async () => {
    const session = await stage.begin('claude')
    const connect = 'CONNECT example.com:443 HTTP/1.1\\r\\nHost: example.com\\r\\n\\r\\n'
    const said = await session.command(
      `bash -c "exec 3<>/dev/tcp/127.0.0.1/3128; printf '${connect}' >&3; cat <&3"`,
    )
    expect(said).toMatch(/^HTTP\/1\.1 403 Forbidden[^]*does not let this workspace reach example\.com:443/)
    const audit = async (outcome: AuditEntry['outcome']): Promise<AuditEntry[]> => {
      const query = `kind=egress&outcome=${outcome}&workspaceId=${stage.workspaceId}`
      return (await stage.box.call('GET', `/audit?${query}`)).body.data
    }
    await expect
      .poll(async () => (await audit('refused')).map(({ subject }) => subject), patience)
      .toContain('example.com:443')
    const subjects = (await audit('ok')).map(({ subject }) => subject)
    expect(subjects).toContain(new URL(stage.model.url).host)
    expect(JSON.stringify([await audit('ok'), await audit('refused')])).not.toContain(stage.key)
  })
})
