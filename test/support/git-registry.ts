import { eq } from 'drizzle-orm'
import { readEvents } from '#db/events.ts'
import { executions } from '#db/schema.ts'
import { openStaffedRegistry } from './registry.ts'
import type { Answer } from './registry.ts'

export const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
export const fieldOf = ({ status, body }: Answer) => [status, body.error?.context?.fields?.[0]?.field]

/** A git that shows a ref, in a folder. */
export async function openWithGit(more: object = {}, ofAgent: object = {}) {
  const box = await openStaffedRegistry()
  const { pool } = box
  const agent = await box.agent(ofAgent)
  const capability = await box.capability(agent.id, {
    key: 'show',
    commandTokens: ['git', 'show', '{{ref}}', '--', '{{prompt}}'],
    argsSchema: {
      type: 'object',
      properties: { ref: { type: 'string' }, depth: { type: 'integer', default: 1 } },
      required: ['ref'],
    },
    ...more,
  })
  const takesPrompt = JSON.stringify(capability.commandTokens).includes('{{prompt}}')
  const asked = { capabilityId: capability.id, args: { ref: 'main' }, ...(takesPrompt && { prompt: 'src' }) }
  return {
    ...box,
    agent,
    asked,
    start: (change: object = {}) => box.call('POST', '/executions', { ...asked, ...change }),
    rowOf: async (id: string) => (await pool.db.select().from(executions).where(eq(executions.id, id)))[0]!,
    end: (id: string) =>
      pool.db
        .update(executions)
        .set({ status: 'succeeded', endedAt: new Date() })
        .where(eq(executions.id, id)),
    run: (id: string) => pool.db.update(executions).set({ status: 'running' }).where(eq(executions.id, id)),
    told: async (stream: string) =>
      (await readEvents(pool.db, stream, 0, 100)).events.map(({ type, payload, executionId, seq }) => ({
        type,
        executionId,
        seq,
        payload: JSON.parse(payload),
      })),
  }
}
