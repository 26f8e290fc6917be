import type { z } from 'zod'
import type { Principal } from '#contract/access.ts'
import { AnsweredOnSocket, SaidOnSocket } from '#contract/gateway.ts'
import type { HeardOnSocket } from '#contract/gateway.ts'
import { checkScopes } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { answerApproval, theApproval } from '#flows/answer-approval.ts'
import { sayInChat } from '#flows/say-in-chat.ts'
import { stopChat } from '#flows/stop-chat.ts'
import { doesNotFit } from '../room.ts'
import type { Parts } from '../room.ts'

type Needs = Pick<Parts, 'pool' | 'handOver' | 'settings'>

interface Speaker {
  by: Principal
  sessionId: string
}

const largestMessage = 1_048_576

/** Does what a client asks for. Resolves once that is kept; throws a Problem when it is not done. */
export async function hear(
  needs: Needs,
  speaker: Speaker,
  name: string,
  body: unknown,
): Promise<HeardOnSocket> {
  if (name === 'message') return say(needs, speaker, read(SaidOnSocket, body))
  if (name === 'tool:approval') return answer(needs, speaker, read(AnsweredOnSocket, body))
  if (name === 'stop') return stop(needs, speaker)
  throw new Problem(
    'not_found',
    `Nothing is done on ${name.slice(0, 100)}: there are message, tool:approval and stop`,
  )
}

async function say(
  { pool, handOver, settings }: Needs,
  { by, sessionId }: Speaker,
  { text }: SaidOnSocket,
): Promise<HeardOnSocket> {
  if (Buffer.byteLength(text) > largestMessage)
    throw new Problem(
      'body_too_large',
      `The message is larger than the ${largestMessage} bytes that fit here`,
    )
  const rules = settings.current().worker
  const { executionId } = await pool.transaction((tx) =>
    sayInChat(tx, by, handOver, sessionId, { text, files: [] }, rules),
  )
  return { executionId }
}

async function answer(
  { pool, handOver }: Needs,
  { by, sessionId }: Speaker,
  { callId, approved, reason }: AnsweredOnSocket,
): Promise<HeardOnSocket> {
  checkScopes(by, ['approve'])
  const given = {
    decision: approved ? 'granted' : 'refused',
    remember: false,
    ...(reason !== undefined && { reason }),
  } as const
  await pool.transaction(async (tx) => {
    const asked = await theApproval(tx, by, callId)
    if (asked.sessionId !== sessionId)
      throw new Problem('approval_not_found', `No approval ${callId} in this session`)
    await answerApproval(tx, by, handOver, callId, given)
  })
  return { ok: true }
}

async function stop({ pool, handOver }: Needs, { by, sessionId }: Speaker): Promise<HeardOnSocket> {
  await pool.transaction((tx) => stopChat(tx, by, handOver, sessionId))
  return { ok: true }
}

function read<Body>(shape: z.ZodType<Body>, body: unknown): Body {
  const checked = shape.safeParse(body)
  if (checked.success) return checked.data
  throw doesNotFit('message', checked.error)
}
