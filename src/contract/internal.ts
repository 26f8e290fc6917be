import { z } from 'zod'
import { AgentAdapter, AgentPreset } from './agent.ts'

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
