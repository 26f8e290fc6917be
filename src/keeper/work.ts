import type { Instruction, RunningAgent, Say, SessionAgent, TurnEnd } from '#agents/port.ts'
import type { Prompt } from '#contract/agent-event.ts'
import type { CommandOutcome, EndReason } from '#contract/keeper.ts'
import type { ProgramEnd } from '#lib/program.ts'

/** How something ended by itself. */
export interface Over extends ProgramEnd {
  reason: EndReason
  message: string | null
}

/** What one execution does, whatever kind of agent does it. */
export interface Work {
  pid: number
  /** Where people can attach to it. */
  tmuxSession?: string
  /** The execution that its agent was started for, where that may be another. */
  startedFor?: string
  /** Whether the agent is gone, which could have stayed. */
  isAgentGone?: () => boolean
  /** Begins to tell what the agent says. Resolves when all of it was told; never rejects. */
  tellAll(say: Say): Promise<void>
  /** Resolves when it is over by itself. Never rejects. Something may still be on its way to be told. */
  over: Promise<Over>
  tell(instruction: Instruction): Promise<CommandOutcome>
  /** Ends it with all its descendants. False when something outlived SIGKILL. Never rejects. */
  stop(graceMs: number): Promise<boolean>
  /** Once it is over by itself: sees to it that nothing is left that should not be. False as above. */
  clear(graceMs: number): Promise<boolean>
  /** Once it is dead: lets `tellAll` resolve soon. */
  hangUp(): void
}

/** A program: when it has ended, so has the work, and nothing it started may stay. */
export function programWork(agent: RunningAgent): Work {
  return {
    pid: agent.pid,
    ...(agent.tmuxSession !== undefined && { tmuxSession: agent.tmuxSession }),
    async tellAll(say) {
      for await (const event of agent.events) await say(event)
    },
    over: agent.exited.then(({ message = null, ...end }) => ({ reason: 'exited', message, ...end })),
    tell: (instruction) => agent.tell(instruction),
    stop: (graceMs) => agent.stop(graceMs),
    clear: (graceMs) => agent.stop(graceMs),
    hangUp: () => agent.hangUp(),
  }
}

const reasons = {
  completed: 'turn_completed',
  failed: 'turn_failed',
  interrupted: 'turn_interrupted',
} as const satisfies Record<TurnEnd['reason'], EndReason>

/** A turn of a session: when it is over the agent stays, with what it started, for the next one. */
export function turnWork(agent: SessionAgent, prompt: Prompt, startedFor?: string): Work {
  const over = Promise.withResolvers<Over>()
  let isDead = false
  let isStopped = false
  let end: ProgramEnd = { exitCode: null, signal: null }
  const died = async () => {
    end = await agent.exited
    isDead = true
  }
  void died()
  const stop = async (graceMs: number) => {
    isStopped = await agent.stop(graceMs)
    return isStopped
  }
  return {
    pid: agent.pid,
    ...(startedFor !== undefined && { startedFor }),
    isAgentGone: () => isDead || isStopped,
    async tellAll(say) {
      const turn = await agent.turn(prompt, say)
      // An agent that dies may say why; only its process says that it did.
      if (!isDead) await Promise.race([agent.exited, new Promise(setImmediate)])
      const message = isDead && turn.reason === 'failed' ? describeDeath(end, turn.message) : turn.message
      over.resolve({ reason: reasons[turn.reason], message, ...end })
    },
    over: over.promise,
    tell: (instruction) => agent.tell(instruction),
    stop,
    clear: (graceMs) => (isDead ? stop(graceMs) : Promise.resolve(true)),
    hangUp: () => undefined,
  }
}

function describeDeath({ exitCode, signal }: ProgramEnd, message: string | null): string {
  const how = signal ? `was ended by ${signal}` : `ended with code ${exitCode}`
  return `The agent ${how} in the middle of its turn${message ? `: ${message}` : ''}`
}
