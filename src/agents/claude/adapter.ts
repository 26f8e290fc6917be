import { randomUUID } from 'node:crypto'
import { NotStarted } from '#lib/program.ts'
import { usualInterruptMs } from '../interrupt.ts'
import type { Hands, SessionAdapter, SessionLaunch } from '../port.ts'
import { budgetOf, claudeProgram } from './arguments.ts'
import type { Beginning } from './arguments.ts'
import { ClaudeAgent } from './drive.ts'
import { factsOf } from './facts.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const unknownSession = /No conversation found/i
const graceMs = 2_000

/** Dollars by which what Claude has counted may differ from what we have. */
const closeEnough = 0.01

interface Opening {
  launch: SessionLaunch
  hands: Hands
  interruptMs: number
}

/** Claude Code, by its stream-json protocol. */
export const claudeAdapter: SessionAdapter = { open: (launch, hands) => openClaude(launch, hands) }

/** Rejects with NotStarted. */
export async function openClaude(
  launch: SessionLaunch,
  hands: Hands,
  interruptMs = usualInterruptMs,
): Promise<ClaudeAgent> {
  const { sessionRef, fork, isContinued } = launch.turn
  const opening = { launch, hands, interruptMs }
  if (sessionRef === null) return begin(opening, isContinued ? 'There is nothing to resume' : undefined)
  if (!uuid.test(sessionRef)) return begin(opening, `${sessionRef} is no session of Claude Code`)
  const opened = await goOn(
    opening,
    fork ? { how: 'forked', of: sessionRef } : { how: 'resumed', sessionId: sessionRef },
  )
  if (opened instanceof ClaudeAgent) return opened
  if (!unknownSession.test(opened.error)) throw notStarted(opened.error)
  return begin(opening, `Claude Code knows nothing of session ${sessionRef}`)
}

async function begin(opening: Opening, why: string | undefined): Promise<ClaudeAgent> {
  const note = why && `${why}: a new session begins, without what was said before`
  const { costUsd } = opening.launch.turn.limits
  const opened = await start(opening, { how: 'new', sessionId: randomUUID() }, costUsd, note)
  if (!(opened instanceof ClaudeAgent)) throw notStarted(opened.error)
  return opened
}

/**
 * Claude holds its budget against all that the session has ever cost, by its own count: also what it cost in the session that it is
 * a copy of, and what it cost when we did not look. Only when it runs can it be asked, and only at its start can it be told.
 */
async function goOn(opening: Opening, beginning: Beginning): Promise<ClaudeAgent | { error: string }> {
  const { costUsd } = opening.launch.turn.limits
  const budget = budgetOf(opening.launch.turn)
  const opened = await start(opening, beginning, budget)
  if (!(opened instanceof ClaudeAgent)) return opened
  const before = await opened.costBefore()
  if (before === undefined || costUsd === null || budget === null) return opened
  if (Math.abs(before + costUsd - budget) < closeEnough) return opened
  await opened.stop(graceMs)
  const again = await start(opening, beginning, before + costUsd)
  if (again instanceof ClaudeAgent) await again.costBefore()
  return again
}

async function start(
  { launch, hands, interruptMs }: Opening,
  beginning: Beginning,
  budgetUsd: number | null,
  note?: string,
): Promise<ClaudeAgent | { error: string }> {
  const program = claudeProgram(launch, beginning, budgetUsd)
  const agent = new ClaudeAgent(await hands.start(program), hands, {
    model: launch.turn.model,
    isNew: beginning.how === 'new',
    interruptMs,
  })
  const initialized = await agent.initialize()
  if ('error' in initialized) {
    await agent.stop(graceMs)
    return initialized
  }
  agent.learn({
    began: beginning.how,
    ...(beginning.how !== 'forked' && { sessionRef: beginning.sessionId }),
    ...(note && { note }),
    ...factsOf(initialized.response, program.argv),
  })
  return agent
}

function notStarted(error: string): NotStarted {
  const isOld = /unknown option/i.test(error)
  const advice = isOld ? ' It may be too old: npm install -g @anthropic-ai/claude-code@latest.' : ''
  return new NotStarted(`Claude Code did not start: ${error}.${advice}`.replace('..', '.'))
}
