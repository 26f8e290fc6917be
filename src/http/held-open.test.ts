import { eq } from 'drizzle-orm'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openAuth } from '../../test/support/auth.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { deleteTokens } from '#db/agent-tokens.ts'
import { openListener } from '#db/listen.ts'
import { agents, sessions } from '#db/schema.ts'
import { deleteAgentTokens, insertAgentToken } from '#db/tokens.ts'
import { openStreams } from '#events/streams.ts'
import { newId } from '#lib/id.ts'
import { hashSecret, newSecret } from '#lib/secret.ts'
import { openDoorkeeper } from './doorkeeper.ts'
import { openHolds } from './held-open.ts'

// Well before the safety net looks.
const patience = { timeout: 15_000 }

/** Something that the agent of a session holds open with its token. */
async function openHeld() {
  const box = await openAuth()
  const { pool } = box
  const log = pino({ level: 'silent' })
  const listener = openListener(pool.url, log)
  const streams = openStreams(pool.db, listener, log)
  onTestFinished(async () => {
    streams.close()
    await listener.close()
  })
  await new Promise<void>((resolve) => listener.onReconnect(resolve))
  const doorkeeper = openDoorkeeper(pool.db, { jwtSecret: 'x'.repeat(32) })
  const hold = openHolds({ streams, doorkeeper })

  const { id: executionId, sessionId } = await seedExecution(pool, { createdBy: 'owner' })
  const agentId = newId()
  await pool.db.insert(agents).values({ id: agentId, name: 'Claude', kind: 'coding' })
  await pool.db.update(sessions).set({ agentId }).where(eq(sessions.id, sessionId))
  const [id, token] = [newId(), newSecret('sbagent')]
  await insertAgentToken(pool.db, { id, hash: hashSecret(token), sessionId, executionId })
  const { principal } = await doorkeeper.admit(token)
  return { pool, held: hold({ token, principal, until: undefined }), id, sessionId, executionId }
}

test('what an agent holds open ends with its process', async () => {
  const { pool, held, sessionId } = await openHeld()
  await deleteAgentTokens(pool.db, sessionId)
  await vi.waitFor(() => expect(held.ended.aborted).toBe(true), patience)
})

test('also when that was found dead between two turns', async () => {
  const { pool, held, id } = await openHeld()
  await deleteTokens(pool.db, [id])
  await vi.waitFor(() => expect(held.ended.aborted).toBe(true), patience)
})

test('it stays open while the token counts', async () => {
  const { held } = await openHeld()
  await held.check()
  expect(held.ended.aborted).toBe(false)
})
