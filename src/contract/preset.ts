import { z } from 'zod'
import { AgentAdapter, AgentPreset } from './agent.ts'
import { Id } from './text.ts'

/** One of the known coding agents, as it is on one machine. */
export const PresetOnMachine = z.object({
  key: AgentPreset,
  name: z.string(),
  adapter: AgentAdapter,
  installed: z.boolean(),
  binaryPath: z.string().nullable(),
  /** Null when it is not there, or does not tell. */
  version: z.string().nullable(),
  leastVersion: z.string(),
  tooOld: z.boolean(),
  /** Why it does not run, when it is there and does not. */
  trouble: z.string().nullable(),
  login: z.object({
    /** As far as can be told without asking anybody: `no` only when it is sure. */
    state: z.enum(['yes', 'no', 'unknown']),
    /** By what it is logged in, or what to run. */
    how: z.string(),
  }),
  /** What installs it, or brings it up to date. */
  install: z.string(),
  args: z.array(z.string()),
  envAllowlist: z.array(z.string()),
})
export type PresetOnMachine = z.infer<typeof PresetOnMachine>
export type Login = PresetOnMachine['login']

export const Preset = PresetOnMachine.extend({ machineId: Id })
export type Preset = z.infer<typeof Preset>

/** Without a machine: the only one there is, or ours. */
export const PresetQuery = z.strictObject({ machineId: Id.optional() })
export type PresetQuery = z.infer<typeof PresetQuery>
