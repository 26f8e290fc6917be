import { join } from 'node:path'
import { expect } from 'vitest'
import type { Approval } from '#contract/approval.ts'
import type { Stage } from './stage.ts'

const program = {
  transport: 'stdio',
  command: process.execPath,
  args: [join(import.meta.dirname, '../support/stdio-mcp-server.ts')],
}

/** A source that says back what it is told, if it is not there already. */
export async function addParrot(stage: Stage, name: string): Promise<void> {
  const { box } = stage
  const health = async () => {
    const { body } = await box.call('GET', '/mcp/health')
    const servers = body.data.servers as { name: string; status: string }[]
    return servers.find((one) => one.name === name)?.status
  }
  if ((await health()) === undefined) {
    const { body: added } = await box.call('POST', '/mcp/add', { name, config: program })
    expect(added.error).toBeUndefined()
  }
  await stage.until(`the source ${name}`, async () => (await health()) === 'healthy')
}

/** Says yes to whatever is asked, until the turn is over. */
export async function answerAll(stage: Stage, executionId: string): Promise<Approval[]> {
  const { box } = stage
  const answered: Approval[] = []
  await stage.until('the end of the turn', async () => {
    const { body } = await box.call('GET', `/approvals?status=waiting&executionId=${executionId}`)
    for (const approval of body.data as Approval[]) {
      const { status } = await box.call('POST', `/approvals/${approval.id}`, { decision: 'granted' })
      if (status === 200) answered.push(approval)
    }
    const { body: now } = await box.call('GET', `/executions/${executionId}`)
    return now.data.endedAt !== null
  })
  return answered
}
