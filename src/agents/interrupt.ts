import { setTimeout as wait } from 'node:timers/promises'
import type { CommandOutcome } from '#contract/keeper.ts'
import type { TurnEnd } from './port.ts'

// What an interrupt means, the same for all agents: whoever asks for one is answered soon, and an agent that goes on with its
// turn all the same is ended, since the next turn would only be a part of this one. Its session is resumed by another.

/** A turn is to be over so long after an interrupt. */
export const usualInterruptMs = 10_000
/** What is written to the agent is delivered, whether it says so or not. */
const confirmMs = 2_000
/** For one that is ended because it does not answer. */
export const deafGraceMs = 5_000

export const deafEnd = (interruptMs: number): TurnEnd => ({
  reason: 'failed',
  message: `The agent did not answer an interrupt within ${interruptMs / 1000} s, and was ended`,
})

/** The agent's own answer if it comes soon. */
export const soon = (answer: Promise<CommandOutcome>): Promise<CommandOutcome> =>
  Promise.race([answer, wait(confirmMs, { outcome: 'delivered' } as const, { ref: false })])
