import { z } from 'zod'
import { ApprovalKind, ApprovalOption, Question } from './agent-event.ts'
import { PermissionPolicy } from './agent.ts'
import { Paging } from './answer.ts'
import { Id, Time, line, prose } from './text.ts'

export const ApprovalStatus = z.enum(['waiting', 'granted', 'refused', 'expired'])
export type ApprovalStatus = z.infer<typeof ApprovalStatus>

/** A question that waits for a person, or how it was answered. */
export const Approval = z.object({
  id: Id,
  /** None of both where a person's own code asks. */
  sessionId: Id.nullable(),
  executionId: Id.nullable(),
  /** The code that waits for it. */
  codeRunId: Id.nullable(),
  /** Of a person's own code: who runs it. */
  agentName: z.string(),
  kind: ApprovalKind,
  tool: z.string(),
  /** One line for people. */
  title: z.string(),
  input: z.unknown(),
  /** What a rule made from this would be matched against: the command, the path. */
  subject: z.string().nullable(),
  danger: z.int(),
  toolCallId: z.string().nullable(),
  options: z.array(ApprovalOption),
  /** What is to be answered in words, or chosen. */
  questions: z.array(Question).nullable(),
  /** JSON Schema of what is to be filled in. */
  schema: z.record(z.string(), z.unknown()).nullable(),
  status: ApprovalStatus,
  /** Among those of its session, or of its code, that wait, from 1; 0 once it does not. */
  position: z.int(),
  total: z.int(),
  askedAt: Time,
  expiresAt: Time,
  answeredAt: Time.nullable(),
  /** A person's id, or `policy`. */
  answeredBy: z.string().nullable(),
  /** What that person is called; null for the owner, for `policy`, and for who is gone. */
  answeredByName: z.string().nullable(),
  reason: z.string().nullable(),
})
export type Approval = z.infer<typeof Approval>

/** As the board stream tells it to everyone: that something is asked, not what. */
export type ApprovalOnBoard = Pick<
  Approval,
  | 'id'
  | 'sessionId'
  | 'executionId'
  | 'codeRunId'
  | 'kind'
  | 'tool'
  | 'status'
  | 'danger'
  | 'askedAt'
  | 'expiresAt'
>

export const AnswerApproval = z.strictObject({
  decision: z.enum(['granted', 'refused']),
  /** Answer the same way from now on, without asking. */
  remember: z.boolean().default(false),
  reason: prose(10_000).optional(),
  /** One of the agent's own options. */
  optionId: prose(200).optional(),
  /** Answers by the question's id, or fields by the schema. */
  content: z.record(z.string(), z.unknown()).optional(),
})
export type AnswerApproval = z.infer<typeof AnswerApproval>

export const ApprovalQuery = Paging.extend({
  status: ApprovalStatus.optional(),
  sessionId: Id.optional(),
  executionId: Id.optional(),
})
export type ApprovalQuery = z.infer<typeof ApprovalQuery>

export const RuleEffect = z.enum(['allow', 'deny', 'ask'])
export type RuleEffect = z.infer<typeof RuleEffect>

/** What is answered without a person. */
export const PolicyRule = z.object({
  id: Id,
  /** Null for every agent. */
  agentId: Id.nullable(),
  /** A glob: `Bash`, `mcp__*`. */
  tool: z.string(),
  /** A glob over the command, path or address; null for every one. */
  argument: z.string().nullable(),
  effect: RuleEffect,
  /** The question that it was made from, when somebody answered that for good. */
  approvalId: Id.nullable(),
  createdBy: z.string(),
  createdAt: Time,
})
export type PolicyRule = z.infer<typeof PolicyRule>

export const CreateRule = z.strictObject({
  agentId: Id.nullable().default(null),
  tool: line(200),
  argument: prose(10_000).min(1, 'must not be empty').nullable().default(null),
  effect: RuleEffect,
})
export type CreateRule = z.infer<typeof CreateRule>

export const EditRule = z
  .strictObject({
    agentId: CreateRule.shape.agentId.unwrap(),
    tool: CreateRule.shape.tool,
    argument: CreateRule.shape.argument.unwrap(),
    effect: RuleEffect,
  })
  .partial()
export type EditRule = z.infer<typeof EditRule>

/** A rule of the configuration file. */
export const ConfiguredRule = PolicyRule.pick({ tool: true, argument: true, effect: true })
export type ConfiguredRule = z.infer<typeof ConfiguredRule>

/** Something that an agent could ask for, to see what would be answered without a person. */
export const TryPolicy = z.strictObject({
  /** Null for one without rules of its own. */
  agentId: Id.nullable().default(null),
  /** In place of the agent's. Without both: ask. */
  policy: PermissionPolicy.optional(),
  tool: line(200),
  /** The command, path or address; null where there is none. */
  argument: prose(10_000).min(1, 'must not be empty').nullable().default(null),
  /** It is a path or an address, and no shell reads it. */
  isPlace: z.boolean().default(false),
  /** It only looks, as the agent's protocol says. */
  readOnly: z.boolean().default(false),
  /** As if this were among the rules. */
  rule: CreateRule.optional(),
  /** And this one were not. */
  without: Id.optional(),
})
export type TryPolicy = z.infer<typeof TryPolicy>

export const PolicyVerdict = z.object({
  effect: RuleEffect,
  /** `given`: the rule that was sent along. `unclear`: a rule might be about it, so a person is asked. */
  decidedBy: z.enum(['rule', 'given', 'file', 'policy', 'unclear']),
  /** The one that decided, if one did. */
  rule: ConfiguredRule.extend({ id: Id.nullable(), agentId: Id.nullable() }).nullable(),
  policy: PermissionPolicy,
})
export type PolicyVerdict = z.infer<typeof PolicyVerdict>
