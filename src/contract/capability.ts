import { z } from 'zod'
import { Id, Time, line, prose } from './text.ts'

export const InteractionMode = z.enum(['template', 'prompt'])
export type InteractionMode = z.infer<typeof InteractionMode>

/** 0 safe, 1 caution, 2 dangerous, 3 destructive; 2 and 3 need a person's yes. */
export const DangerLevel = z.int().min(0).max(3)

/** What MCP clients are told of it; follows from the danger level unless said otherwise. */
export const Annotations = z.strictObject({
  readOnlyHint: z.boolean(),
  destructiveHint: z.boolean(),
  idempotentHint: z.boolean(),
})
export type Annotations = z.infer<typeof Annotations>

/** A JSON Schema (2020-12) of type object; its properties are the arguments. */
const ArgsSchema = z.record(z.string(), z.unknown())
export type ArgsSchema = z.infer<typeof ArgsSchema>

/** One thing an agent can be asked for. */
export const Capability = z.object({
  id: Id,
  agentId: Id,
  key: z.string(),
  label: z.string(),
  interactionMode: InteractionMode,
  commandTokens: z.array(z.string()).nullable(),
  promptTemplate: z.string().nullable(),
  argsSchema: ArgsSchema,
  dangerLevel: DangerLevel,
  annotations: Annotations,
  timeoutSec: z.int(),
  maxOutputBytes: z.int(),
  createdAt: Time,
})
export type Capability = z.infer<typeof Capability>

const written = {
  key: z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,99}$/, 'must be small letters, digits, "_", "." or "-"'),
  label: line(200),
  interactionMode: InteractionMode,
  commandTokens: z.array(prose(10_000)).min(1, 'must have at least one token').max(200).nullable(),
  promptTemplate: prose(100_000).min(1, 'must not be empty').nullable(),
  argsSchema: ArgsSchema,
  dangerLevel: DangerLevel,
  annotations: Annotations.partial(),
  timeoutSec: z.int().min(1).max(604_800),
  maxOutputBytes: z.int().min(1).max(107_374_182_400),
}

export const CreateCapability = z.strictObject({
  key: written.key,
  /** Without one: the key. */
  label: written.label.optional(),
  interactionMode: written.interactionMode,
  commandTokens: written.commandTokens.default(null),
  promptTemplate: written.promptTemplate.default(null),
  argsSchema: written.argsSchema.default({ type: 'object' }),
  dangerLevel: written.dangerLevel.default(0),
  annotations: written.annotations.default({}),
  timeoutSec: written.timeoutSec.default(300),
  maxOutputBytes: written.maxOutputBytes.default(10_485_760),
})
export type CreateCapability = z.infer<typeof CreateCapability>

export const EditCapability = z.strictObject(written).partial()
export type EditCapability = z.infer<typeof EditCapability>
