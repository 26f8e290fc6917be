import { z } from 'zod'
import { Principal } from './access.ts'
import { AgentAdapter, AgentPreset } from './agent.ts'
import { OutsideSession } from './session.ts'
import { Id } from './text.ts'

// What web asks of the worker on another machine, or on its own, over the internal API.

/** `POST /check-agent`: are this program and this folder ones that the machine allows? */
export const CheckAgent = z.object({
  adapter: AgentAdapter,
  binaryPath: z.string().nullable(),
  workingDir: z.string().nullable(),
})
export type CheckAgent = z.infer<typeof CheckAgent>

/** The program as it is called (a link may be what chooses its version), the folder by its real path. */
export const CheckedAgent = z.object({ binaryPath: z.string().nullable(), workingDir: z.string().nullable() })
export type CheckedAgent = z.infer<typeof CheckedAgent>

/** `POST /presets`: the known coding agents as they are on the machine, or one of them, or a program in its place. */
export const AskPresets = z.object({ key: AgentPreset.optional(), binaryPath: z.string().optional() })
export type AskPresets = z.infer<typeof AskPresets>

/** `POST /outside-sessions`: what the program of an agent has in its own history, in folders that the machine allows. */
export const AskOutside = z.object({ key: AgentPreset, envAllowlist: z.array(z.string()) })
export type AskOutside = z.infer<typeof AskOutside>

/** The folder by its real path. */
export const FoundOutside = OutsideSession.omit({ adoptedBy: true }).extend({ file: z.string() })
export type FoundOutside = z.infer<typeof FoundOutside>

/** `POST /outside-turns`: what was said in one of them. */
export const AskTurns = AskOutside.extend({ ref: z.string() })
export type AskTurns = z.infer<typeof AskTurns>

/** `POST /take-over` and `POST /hand-back`: a person wants a session, or is done with it. */
export const AskSession = z.object({ sessionId: Id, by: Principal })
export type AskSession = z.infer<typeof AskSession>

export const OutsideTurn = z.object({
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  at: z.string().nullable(),
})
export type OutsideTurn = z.infer<typeof OutsideTurn>

export const FoundTurns = z.object({
  session: FoundOutside,
  turns: z.array(OutsideTurn),
  /** How many earlier ones were left out, because all of them would be too much. */
  leftOut: z.int(),
  /** How far the history was read. */
  mark: z.string().nullable(),
})
export type FoundTurns = z.infer<typeof FoundTurns>
