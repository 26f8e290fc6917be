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

/** What a client asks for, until it is its turn. */
export interface Wish {
  /** About how many characters are kept for it. */
  size: number
  /** Does it. Resolves once that is kept; throws a Problem when it is not done. */
  hear(needs: Needs, speaker: Speaker): Promise<HeardOnSocket>
}

/** Looks at what came at once: of what nobody can do anything with, nothing is kept but that. */
export function readWish(name: unknown, body: unknown): Wish {
  try {
    return wishOf(name, body)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const refusal = new Problem(error.code, inShort(error.message))
    return { size: refusal.message.length, hear: () => Promise.reject(refusal) }
  }
}

function wishOf(name: unknown, body: unknown): Wish {
  if (name === 'message') {
    const said = read(SaidOnSocket, body)
    return { size: said.text.length, hear: (needs, speaker) => say(needs, speaker, said) }
  }
  if (name === 'tool:approval') {
    const given = read(AnsweredOnSocket, body)
    return { size: given.reason?.length ?? 0, hear: (needs, speaker) => answer(needs, speaker, given) }
  }
  if (name === 'stop') return { size: 0, hear: stop }
  const called = String(name).slice(0, 100)
  throw new Problem('not_found', `Nothing is done on ${called}: there are message, tool:approval and stop`)
}

/** Copied: a piece of a text keeps the whole of it in memory. */
const inShort = (message: string): string => Buffer.from(message.slice(0, 500)).toString()

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
