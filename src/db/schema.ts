import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  integer,
  json,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import type {
  ApprovalKind,
  ApprovalOption,
  McpServer,
  PromptFile,
  Question,
  SessionFacts,
} from '#contract/agent-event.ts'
import type { ApprovalStatus, RuleEffect } from '#contract/approval.ts'
import type { AgentAdapter, AgentKind, AgentPreset, PermissionPolicy } from '#contract/agent.ts'
import type { Principal, Scope } from '#contract/access.ts'
import type { AuditEntry } from '#contract/audit.ts'
import type { Annotations, ArgsSchema, InteractionMode } from '#contract/capability.ts'
import type {
  PackageSource,
  ProgramClass,
  ProgramSchema,
  ScanProgress,
  SchemaSource,
} from '#contract/discovery.ts'
import type { CodeResult, ExecuteCode } from '#contract/execute.ts'
import type { Changes, ExecutionStatus } from '#contract/execution.ts'
import type { KeeperCommand } from '#contract/keeper.ts'
import type { SourceConfig, SourceOrigin } from '#contract/source.ts'
import type { WorkerReport } from '#contract/machine.ts'
import { TaskStatus } from '#contract/task.ts'
import type { TaskPriority } from '#contract/task.ts'
import type {
  Egress,
  WorkspaceApp,
  WorkspaceDriver,
  WorkspaceSource,
  WorkspaceState,
} from '#contract/workspace.ts'

// What the queries know of the tables. The truth is migrations/; a test compares both.

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const streams = pgTable('streams', {
  id: uuid('id').primaryKey(),
  lastSeq: bigint('last_seq', { mode: 'number' }).notNull().default(0),
  lastAt: at('last_at').notNull().defaultNow(),
})

export const events = pgTable(
  'events',
  {
    streamId: uuid('stream_id').notNull(),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    executionId: uuid('execution_id'),
    taskId: uuid('task_id'),
    type: text('type').notNull(),
    payload: json('payload').notNull(),
    at: at('at').notNull().defaultNow(),
    size: integer('size')
      .notNull()
      .generatedAlwaysAs(sql`octet_length(payload::text)`),
    packed: bytea('packed'),
    packedFrom: integer('packed_from'),
  },
  (table) => [primaryKey({ columns: [table.streamId, table.seq] })],
)

export const machines = pgTable('machines', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  workerId: text('worker_id').notNull(),
  url: text('url').notNull(),
  report: json('report').$type<WorkerReport>(),
  startedAt: at('started_at').notNull().defaultNow(),
  seenAt: at('seen_at').notNull().defaultNow(),
  stoppedAt: at('stopped_at'),
})

export const signingKeys = pgTable('signing_keys', {
  name: text('name').primaryKey(),
  secret: bytea('secret').notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
})

export const agents = pgTable('agents', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  kind: text('kind').$type<AgentKind>().notNull(),
  active: boolean('active').notNull().default(true),
  createdAt: at('created_at').notNull().defaultNow(),
  builtin: boolean('builtin').notNull().default(false),
  machineId: uuid('machine_id'),
  binaryPath: text('binary_path'),
  adapter: text('adapter').$type<AgentAdapter>().notNull().default('template'),
  args: text('args').array().notNull().default([]),
  envAllowlist: text('env_allowlist').array().notNull().default([]),
  workingDir: text('working_dir'),
  model: text('model'),
  permissionPolicy: text('permission_policy').$type<PermissionPolicy>().notNull().default('ask'),
  maxConcurrent: integer('max_concurrent'),
  maxBudgetUsd: doublePrecision('max_budget_usd').notNull().default(5),
  maxTurns: integer('max_turns').notNull().default(50),
  memoryMb: integer('memory_mb').notNull().default(2048),
  allowedTools: text('allowed_tools').array().notNull().default([]),
  preset: text('preset'),
  mode: text('mode'),
  maxTokens: bigint('max_tokens', { mode: 'number' }),
  mcpServers: json('mcp_servers').$type<McpServer[]>().notNull().default([]),
  missingSince: at('missing_since'),
})

export const capabilities = pgTable('capabilities', {
  id: uuid('id').primaryKey(),
  agentId: uuid('agent_id').notNull(),
  key: text('key').notNull(),
  label: text('label').notNull(),
  interactionMode: text('interaction_mode').$type<InteractionMode>().notNull(),
  commandTokens: text('command_tokens').array(),
  promptTemplate: text('prompt_template'),
  argsSchema: json('args_schema').$type<ArgsSchema>().notNull(),
  dangerLevel: integer('danger_level').notNull(),
  annotations: json('annotations').$type<Annotations>().notNull(),
  timeoutSec: integer('timeout_sec').notNull(),
  maxOutputBytes: bigint('max_output_bytes', { mode: 'number' }).notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
})

export const workspaces = pgTable('workspaces', {
  id: uuid('id').primaryKey(),
  machineId: uuid('machine_id').notNull(),
  driver: text('driver').$type<WorkspaceDriver>().notNull(),
  root: text('root').notNull(),
  parentId: uuid('parent_id'),
  createdAt: at('created_at').notNull().defaultNow(),
  name: text('name').notNull(),
  sessionId: uuid('session_id'),
  source: json('source').$type<WorkspaceSource>(),
  image: text('image'),
  egress: json('egress').$type<Egress>().notNull().default('model'),
  ports: integer('ports').array().notNull().default([]),
  setup: text('setup'),
  teardown: text('teardown'),
  app: json('app').$type<WorkspaceApp>(),
  worktrees: boolean('worktrees').notNull().default(true),
  logins: text('logins').array().notNull().default([]),
  branch: text('branch'),
  baseRef: text('base_ref'),
  state: text('state').$type<WorkspaceState>().notNull().default('ready'),
  error: text('error'),
  createdBy: text('created_by').notNull().default('owner'),
  usedAt: at('used_at'),
  trashedAt: at('trashed_at'),
  snapshot: text('snapshot'),
  forgottenAt: at('forgotten_at'),
  diskBytes: bigint('disk_bytes', { mode: 'number' }),
  diskMeasuredAt: at('disk_measured_at'),
})

export const audit = pgTable('audit', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  at: at('at').notNull().defaultNow(),
  kind: text('kind').$type<AuditEntry['kind']>().notNull(),
  actor: text('actor').notNull(),
  workspaceId: uuid('workspace_id'),
  sessionId: uuid('session_id'),
  subject: text('subject').notNull(),
  outcome: text('outcome').$type<AuditEntry['outcome']>().notNull(),
  detail: json('detail').$type<Record<string, unknown>>().notNull().default({}),
  durationMs: doublePrecision('duration_ms'),
  keeperId: uuid('keeper_id'),
  keeperOffset: bigint('keeper_offset', { mode: 'number' }),
})

export const sessions = pgTable('sessions', {
  id: uuid('id').primaryKey(),
  title: text('title').notNull(),
  agentId: uuid('agent_id'),
  workspaceId: uuid('workspace_id'),
  taskId: uuid('task_id'),
  createdBy: text('created_by').notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
  model: text('model'),
  mode: text('mode'),
  sessionRef: text('session_ref'),
  facts: json('facts').$type<SessionFacts>().notNull().default({}),
  parentSessionId: uuid('parent_session_id'),
  adoptedAt: at('adopted_at'),
  historyFile: text('history_file'),
  historyMark: text('history_mark'),
  takenOverAt: at('taken_over_at'),
  takenOverBy: text('taken_over_by'),
  tmuxSession: text('tmux_session'),
  trashedAt: at('trashed_at'),
})

export const executions = pgTable('executions', {
  id: uuid('id').primaryKey(),
  sessionId: uuid('session_id').notNull(),
  taskId: uuid('task_id'),
  agentId: uuid('agent_id'),
  agentName: text('agent_name').notNull(),
  capabilityId: uuid('capability_id'),
  capabilityKey: text('capability_key').notNull(),
  machineId: uuid('machine_id').notNull(),
  workspaceId: uuid('workspace_id'),
  queue: text('queue').$type<'tool' | 'coding' | 'chat'>().notNull(),
  priority: integer('priority').notNull(),
  status: text('status').$type<ExecutionStatus>().notNull(),
  args: json('args').$type<Record<string, unknown>>().notNull(),
  prompt: text('prompt'),
  parentExecutionId: uuid('parent_execution_id'),
  depth: integer('depth').notNull().default(0),
  createdBy: text('created_by').notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
  startedAt: at('started_at'),
  endedAt: at('ended_at'),
  workerId: text('worker_id'),
  leaseEpoch: bigint('lease_epoch', { mode: 'number' }).notNull().default(0),
  keeperId: uuid('keeper_id'),
  copiedTo: bigint('copied_to', { mode: 'number' }).notNull().default(0),
  copiedBytes: bigint('copied_bytes', { mode: 'number' }).notNull().default(0),
  firstSeq: bigint('first_seq', { mode: 'number' }).notNull().default(0),
  lastSeq: bigint('last_seq', { mode: 'number' }),
  pid: integer('pid'),
  exitCode: integer('exit_code'),
  signal: text('signal'),
  error: text('error'),
  sessionRef: text('session_ref'),
  tmuxSession: text('tmux_session'),
  logBytes: bigint('log_bytes', { mode: 'number' }).notNull().default(0),
  logLines: bigint('log_lines', { mode: 'number' }).notNull().default(0),
  usage: json('usage').$type<Record<string, unknown>>(),
  costUsd: doublePrecision('cost_usd'),
  unreachableSince: at('unreachable_since'),
  outputRemovedAt: at('output_removed_at'),
  files: json('files').$type<PromptFile[]>().notNull().default([]),
  fork: boolean('fork').notNull().default(false),
  stalledSince: at('stalled_since'),
  waitingApprovals: integer('waiting_approvals').notNull().default(0),
  changes: json('changes').$type<Changes>(),
})

export const commands = pgTable('commands', {
  id: uuid('id').primaryKey(),
  executionId: uuid('execution_id').notNull(),
  position: bigint('position', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
  type: text('type').$type<KeeperCommand['type']>().notNull(),
  payload: json('payload').notNull(),
  createdBy: text('created_by').notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
  deliveredAt: at('delivered_at'),
  outcome: text('outcome'),
})

export const approvals = pgTable('approvals', {
  id: uuid('id').primaryKey(),
  sessionId: uuid('session_id'),
  executionId: uuid('execution_id'),
  requestId: text('request_id').notNull(),
  kind: text('kind').$type<ApprovalKind>().notNull(),
  tool: text('tool').notNull(),
  title: text('title').notNull(),
  input: json('input').notNull(),
  inputHash: text('input_hash').notNull(),
  subject: text('subject'),
  readOnly: boolean('read_only').notNull(),
  danger: integer('danger').notNull(),
  toolCallId: text('tool_call_id'),
  options: json('options').$type<ApprovalOption[]>().notNull(),
  questions: json('questions').$type<Question[]>(),
  schema: json('schema').$type<Record<string, unknown>>(),
  status: text('status').$type<ApprovalStatus>().notNull().default('waiting'),
  place: bigint('place', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
  askedAt: at('asked_at').notNull().defaultNow(),
  expiresAt: at('expires_at').notNull(),
  answeredAt: at('answered_at'),
  answeredBy: text('answered_by'),
  reason: text('reason'),
  content: json('content').$type<Record<string, unknown>>(),
  subjects: text('subjects').array(),
  askedBy: text('asked_by').$type<'agent' | 'registry'>().notNull().default('agent'),
  usedAt: at('used_at'),
  codeRunId: uuid('code_run_id'),
  queuePosition: integer('queue_position'),
  queueTotal: integer('queue_total'),
})

export const codeImages = pgTable('code_images', {
  hash: text('hash').primaryKey(),
  bytes: bytea('bytes').notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
})

export const codeRuns = pgTable('code_runs', {
  id: uuid('id').primaryKey(),
  principal: json('principal').$type<Principal>().notNull(),
  createdBy: text('created_by').notNull(),
  sessionId: uuid('session_id'),
  executionId: uuid('execution_id'),
  machineId: uuid('machine_id').notNull(),
  epoch: integer('epoch').notNull().default(1),
  status: text('status').$type<'frozen' | 'running' | 'ended'>().notNull(),
  wanted: json('wanted').$type<ExecuteCode>().notNull(),
  grants: json('grants').notNull(),
  imageHash: text('image_hash'),
  memory: bytea('memory'),
  state: json('state').$type<Record<string, unknown>>(),
  lastCall: integer('last_call').notNull().default(0),
  logs: json('logs').$type<string[]>().notNull().default([]),
  result: json('result').$type<CodeResult>(),
  createdAt: at('created_at').notNull().defaultNow(),
  updatedAt: at('updated_at').notNull().defaultNow(),
  endedAt: at('ended_at'),
})

export const codeCalls = pgTable(
  'code_calls',
  {
    runId: uuid('run_id').notNull(),
    call: integer('call').notNull(),
    kind: text('kind').notNull(),
    name: text('name').notNull(),
    input: json('input').$type<readonly unknown[]>().notNull(),
    status: text('status').$type<'waiting' | 'begun' | 'done' | 'failed'>().notNull(),
    approvalId: uuid('approval_id'),
    outcome: json('outcome'),
    place: integer('place'),
    begunAt: at('begun_at'),
    endedAt: at('ended_at'),
  },
  (table) => [primaryKey({ columns: [table.runId, table.call] })],
)

export const policyRules = pgTable('policy_rules', {
  id: uuid('id').primaryKey(),
  agentId: uuid('agent_id'),
  tool: text('tool').notNull(),
  argument: text('argument'),
  effect: text('effect').$type<RuleEffect>().notNull(),
  approvalId: uuid('approval_id'),
  createdBy: text('created_by').notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
})

export const taskStatus = pgEnum('task_status', TaskStatus.enum)

export const tasks = pgTable('tasks', {
  id: uuid('id').primaryKey(),
  title: text('title').notNull(),
  description: text('description').notNull(),
  searchable: text('searchable')
    .notNull()
    .generatedAlwaysAs(sql`lower(title || E'\\n' || description)`),
  status: taskStatus('status').notNull(),
  priority: text('priority').$type<TaskPriority>().notNull(),
  parentTaskId: uuid('parent_task_id'),
  assigneeAgentId: uuid('assignee_agent_id'),
  workspaceId: uuid('workspace_id'),
  position: text('position').notNull(),
  depth: integer('depth').notNull(),
  createdBy: text('created_by').notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
  updatedAt: at('updated_at').notNull().defaultNow(),
})

export const taskDependencies = pgTable(
  'task_dependencies',
  {
    taskId: uuid('task_id').notNull(),
    dependsOnTaskId: uuid('depends_on_task_id').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.taskId, table.dependsOnTaskId] })],
)

export const users = pgTable('users', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  scopes: text('scopes').array().$type<Scope[]>().notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
})

export const tokens = pgTable('tokens', {
  id: uuid('id').primaryKey(),
  hash: bytea('hash').notNull(),
  kind: text('kind').$type<'owner' | 'user' | 'session' | 'agent'>().notNull(),
  userId: uuid('user_id'),
  homeId: text('home_id'),
  parentId: uuid('parent_id'),
  createdAt: at('created_at').notNull().defaultNow(),
  expiresAt: at('expires_at'),
  sessionId: uuid('session_id'),
  executionId: uuid('execution_id'),
  browser: text('browser'),
})

export const tickets = pgTable('tickets', {
  hash: bytea('hash').primaryKey(),
  principal: json('principal').$type<Principal>().notNull(),
  expiresAt: at('expires_at').notNull(),
})

export const previews = pgTable('previews', {
  hash: bytea('hash').primaryKey(),
  kind: text('kind').$type<'ticket' | 'key'>().notNull(),
  workspaceId: uuid('workspace_id').notNull(),
  port: integer('port'),
  tokenId: uuid('token_id'),
  principal: json('principal').$type<Principal>().notNull(),
  until: at('until'),
  expiresAt: at('expires_at').notNull(),
})

export const settings = pgTable('settings', {
  key: text('key').primaryKey(),
  value: json('value').notNull(),
  updatedBy: text('updated_by').notNull(),
  updatedAt: at('updated_at').notNull().defaultNow(),
})

export const sources = pgTable('sources', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  machineId: uuid('machine_id').notNull(),
  origin: text('origin').$type<SourceOrigin>().notNull(),
  config: json('config').$type<SourceConfig>().notNull(),
  secrets: bytea('secrets'),
  createdBy: text('created_by').notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
  updatedAt: at('updated_at').notNull().defaultNow(),
})

export const toolPins = pgTable(
  'tool_pins',
  {
    sourceId: uuid('source_id').notNull(),
    tool: text('tool').notNull(),
    hash: text('hash').notNull(),
    definition: json('definition').notNull(),
    acceptedAt: at('accepted_at').notNull().defaultNow(),
    acceptedBy: text('accepted_by').notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.tool] })],
)

export const sourceGrants = pgTable(
  'source_grants',
  {
    sourceId: uuid('source_id').notNull(),
    principalId: text('principal_id').notNull(),
    secrets: bytea('secrets').notNull(),
    expiresAt: at('expires_at'),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.principalId] })],
)

export const sourceAuthorizations = pgTable('source_authorizations', {
  stateHash: bytea('state_hash').primaryKey(),
  sourceId: uuid('source_id').notNull(),
  principalId: text('principal_id').notNull(),
  secrets: bytea('secrets').notNull(),
  expiresAt: at('expires_at').notNull(),
})

export const discovered = pgTable('discovered', {
  id: uuid('id').primaryKey(),
  machineId: uuid('machine_id').notNull(),
  path: text('path').notNull(),
  name: text('name').notNull(),
  realPath: text('real_path').notNull(),
  package: text('package'),
  packageSource: text('package_source').$type<PackageSource>().notNull(),
  version: text('version'),
  toldVersion: text('told_version'),
  description: text('description'),
  class: text('class').$type<ProgramClass>().notNull(),
  confidence: doublePrecision('confidence').notNull(),
  preset: text('preset').$type<AgentPreset>(),
  danger: integer('danger').notNull(),
  uses: integer('uses').notNull(),
  aliases: text('aliases').array().notNull(),
  schema: json('schema').$type<ProgramSchema>(),
  schemaSource: text('schema_source').$type<SchemaSource>(),
  schemaTrouble: text('schema_trouble'),
  subcommands: text('subcommands').array().notNull().default([]),
  options: text('options').array().notNull().default([]),
  describedAt: at('described_at'),
  isHidden: boolean('is_hidden').notNull().default(false),
  agentId: uuid('agent_id'),
  goneAt: at('gone_at'),
  seenAt: at('seen_at').notNull().defaultNow(),
})

export const scans = pgTable('scans', {
  machineId: uuid('machine_id').primaryKey(),
  progress: json('progress').$type<ScanProgress>().notNull(),
  updatedAt: at('updated_at').notNull().defaultNow(),
})

export const webs = pgTable('webs', {
  homeId: text('home_id').primaryKey(),
  url: text('url').notNull(),
  startedAt: at('started_at').notNull().defaultNow(),
})

export const terminals = pgTable('terminals', {
  machineId: text('machine_id').primaryKey(),
  port: integer('port').notNull(),
  url: text('url'),
  startedAt: at('started_at').notNull().defaultNow(),
})

export const usedTerminalTokens = pgTable('used_terminal_tokens', {
  id: uuid('id').primaryKey(),
  expiresAt: at('expires_at').notNull(),
})
