import { randomUUID } from 'node:crypto'
import { NotStarted } from '#lib/program.ts'
import { usualInterruptMs } from '../interrupt.ts'
import type { Hands, SessionAdapter, SessionLaunch } from '../port.ts'
import { claudeProgram } from './arguments.ts'
import type { Beginning } from './arguments.ts'
import { ClaudeAgent } from './drive.ts'
import { factsOf } from './facts.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const unknownSession = /No conversation found/i
const graceMs = 2_000

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
  const opened = await start(
    opening,
    fork ? { how: 'forked', of: sessionRef } : { how: 'resumed', sessionId: sessionRef },
  )
  if (opened instanceof ClaudeAgent) return opened
  if (!unknownSession.test(opened.error)) throw notStarted(opened.error)
  return begin(opening, `Claude Code knows nothing of session ${sessionRef}`)
}

async function begin(opening: Opening, why: string | undefined): Promise<ClaudeAgent> {
  const note = why && `${why}: a new session begins, without what was said before`
  const opened = await start(opening, { how: 'new', sessionId: randomUUID() }, note)
  if (!(opened instanceof ClaudeAgent)) throw notStarted(opened.error)
  return opened
}

async function start(
  { launch, hands, interruptMs }: Opening,
  beginning: Beginning,
  note?: string,
): Promise<ClaudeAgent | { error: string }> {
  const program = claudeProgram(launch, beginning)
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
  if (beginning.how !== 'new') await agent.learnCost()
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
