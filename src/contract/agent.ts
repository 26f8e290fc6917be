import { z } from 'zod'
import { McpServer } from './agent-event.ts'
import { Id, Time, line, prose } from './text.ts'

export const AgentKind = z.enum(['tool', 'coding', 'model'])
export type AgentKind = z.infer<typeof AgentKind>

/** How an agent is spoken to. */
export const AgentAdapter = z.enum(['template', 'claude', 'codex', 'acp', 'terminal', 'chat'])
export type AgentAdapter = z.infer<typeof AgentAdapter>

/** How its questions are answered without a person. */
export const PermissionPolicy = z.enum(['ask', 'reads', 'all', 'deny'])
export type PermissionPolicy = z.infer<typeof PermissionPolicy>

/** The coding agents that are known by name, and the demo that comes with Signalbox. */
export const AgentPreset = z.enum(['claude', 'codex', 'gemini', 'opencode', 'demo'])
export type AgentPreset = z.infer<typeof AgentPreset>

export const Agent = z.object({
  id: Id,
  name: z.string(),
  kind: AgentKind,
  /** Came with Signalbox: its program cannot be changed. */
  builtin: z.boolean(),
  /** The machine it lives on; its executions run there and nowhere else. */
  machineId: Id.nullable(),
  /** As it is called; its real path is checked, now and at every start. */
  binaryPath: z.string().nullable(),
  adapter: AgentAdapter,
  args: z.array(z.string()),
  envAllowlist: z.array(z.string()),
  workingDir: z.string().nullable(),
  model: z.string().nullable(),
  permissionPolicy: PermissionPolicy,
  /** Queued and running executions together; null queues without limit. */
  maxConcurrent: z.int().nullable(),
  maxBudgetUsd: z.number(),
  maxTurns: z.int(),
  memoryMb: z.int(),
  /** Tokens of one session; null is without limit. */
  maxTokens: z.int().nullable(),
  allowedTools: z.array(z.string()),
  /** Which of the known coding agents it is (`claude`, `codex`, `gemini`, `opencode`, `demo`), if one. */
  preset: z.string().nullable(),
  /** In which of its own modes it begins. */
  mode: z.string().nullable(),
  mcpServers: z.array(McpServer),
  active: z.boolean(),
  /** Since when its program is not there any more, as far as its machine has looked. */
  missingSince: Time.nullable(),
  createdAt: Time,
})
export type Agent = z.infer<typeof Agent>

const path = prose(4096).min(1, 'must not be empty').startsWith('/', 'must be an absolute path')
/** What no agent may be given: with one of these it would be us. */
const ours = /^(SIGNALBOX_.*|DATABASE_URL|JWT_SECRET)$/
const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of an environment variable')
  .refine((name) => !ours.test(name), 'is for Signalbox alone and is never passed on')

/** Agents put the names of a server and its tool into one: what begins like ours could be taken for ours. */
const ourServer = /^signalbox(?![a-z0-9-])/i

const written = {
  name: line(100),
  kind: AgentKind,
  machineId: Id,
  binaryPath: path.nullable(),
  adapter: AgentAdapter,
  args: z.array(prose(10_000)).max(100),
  envAllowlist: z.array(variable).max(100),
  workingDir: path.nullable(),
  model: line(200).nullable(),
  permissionPolicy: PermissionPolicy,
  maxConcurrent: z.int().min(1).max(1000).nullable(),
  maxBudgetUsd: z.number().min(0).max(100_000),
  maxTurns: z.int().min(1).max(10_000),
  memoryMb: z.int().min(64).max(1_048_576),
  maxTokens: z.int().min(1).max(1e12).nullable(),
  allowedTools: z.array(line(200)).max(1000),
  mode: line(100).nullable(),
  mcpServers: z
    .array(McpServer)
    .max(50)
    .refine((servers) => servers.every(({ name }) => !ourServer.test(name)), {
      message:
        'must not be called signalbox, or begin with that: it is the name of the tools that every agent gets',
    }),
  active: z.boolean(),
}

/** With a preset what it says is in place of a default, and only what is written here goes beyond it. */
export const CreateAgent = z
  .strictObject({
    /** Without one: what the preset calls it. */
    name: written.name.optional(),
    kind: written.kind.optional(),
    /** Without one: the only machine there is, or the one that answers. */
    machineId: written.machineId.optional(),
    binaryPath: written.binaryPath.default(null),
    adapter: written.adapter.optional(),
    /** With a preset they come after its own. */
    args: written.args.default([]),
    envAllowlist: written.envAllowlist.default([]),
    workingDir: written.workingDir.default(null),
    model: written.model.default(null),
    permissionPolicy: written.permissionPolicy.default('ask'),
    maxConcurrent: written.maxConcurrent.default(null),
    maxBudgetUsd: written.maxBudgetUsd.default(5),
    maxTurns: written.maxTurns.default(50),
    memoryMb: written.memoryMb.default(2048),
    maxTokens: written.maxTokens.default(null),
    allowedTools: written.allowedTools.default([]),
    mode: written.mode.default(null),
    mcpServers: written.mcpServers.default([]),
    /** Program, variables and a capability that takes a prompt come with it. */
    preset: AgentPreset.optional(),
    active: written.active.default(true),
  })
  .refine(({ name, preset }) => name !== undefined || preset !== undefined, {
    path: ['name'],
    message: 'is needed',
  })
export type CreateAgent = z.infer<typeof CreateAgent>

export const EditAgent = z.strictObject(written).partial()
export type EditAgent = z.infer<typeof EditAgent>
