import { delimiter } from 'node:path'
import type { Complaint } from './config-error.ts'
import { putAt } from '#lib/tree.ts'
import type { Path } from '#lib/tree.ts'

export interface Variable {
  name: string
  /** Other names of the same variable. */
  aliases?: string[]
  /** Its place in the tree of shape.ts. */
  path: string
  /** How one text becomes a list. */
  split?: (text: string) => string[]
}

const folders = (text: string) => text.split(delimiter).filter((folder) => folder !== '')
const words = (text: string) => text.split(/\s+/).filter((word) => word !== '')

/** Every variable that stands for a value of the tree. What it means, and its default, the tree says. */
export const variables: Variable[] = [
  { name: 'HOST', path: 'server.host' },
  { name: 'PORT', path: 'server.port' },
  { name: 'TERMINAL_PORT', aliases: ['TERMINAL_WS_PORT'], path: 'server.terminalPort' },
  { name: 'TERMINAL_URL', path: 'terminal.url' },
  { name: 'TERMINAL_IDLE_MS', path: 'terminal.idle' },
  { name: 'TERMINAL_MAX_VIEWERS', path: 'terminal.maxViewers' },
  { name: 'TERMINAL_MAX_PER_WINDOW', path: 'terminal.maxPerWindow' },
  { name: 'PUBLIC_URL', path: 'server.publicUrl' },
  { name: 'TRUST_PROXY', path: 'server.trustProxy' },
  { name: 'DATABASE_URL', path: 'database.url' },
  { name: 'ALLOWED_WORKING_DIRS', path: 'security.allowedWorkingDirs', split: folders },
  { name: 'ALLOWED_BINARY_DIRS', path: 'security.allowedBinaryDirs', split: folders },
  { name: 'WORKER_ID', path: 'worker.id' },
  { name: 'WORKER_URL', path: 'worker.url' },
  { name: 'WORKER_LISTEN', path: 'worker.listen' },
  { name: 'WORKER_MAX_CONCURRENT', aliases: ['WORKER_MAX_CONCURRENT_JOBS'], path: 'worker.maxConcurrent' },
  { name: 'HEARTBEAT_INTERVAL_MS', path: 'worker.heartbeatInterval' },
  { name: 'LOST_AFTER_MS', path: 'worker.lostAfter' },
  { name: 'APPROVAL_EXPIRES_MS', path: 'worker.approvalExpires' },
  { name: 'AGENT_IDLE_MS', path: 'worker.agentIdle' },
  { name: 'STALL_AFTER_MS', path: 'worker.stallAfter' },
  { name: 'STALE_AFTER_MS', aliases: ['STALE_JOB_THRESHOLD_MS'], path: 'worker.staleAfter' },
  { name: 'MIN_FREE_DISK', path: 'worker.minFreeDisk' },
  { name: 'WORKSPACE_IMAGE', path: 'worker.workspaceImage' },
  { name: 'LOG_DIR', path: 'logging.dir' },
  { name: 'LOG_LEVEL', path: 'logging.level' },
  { name: 'LOG_RETENTION_DAYS', path: 'logging.retentionDays' },
  { name: 'JWT_SECRET', path: 'security.auth.jwtSecret' },
  { name: 'OIDC_ISSUER', path: 'security.auth.issuer' },
  { name: 'OIDC_AUDIENCE', path: 'security.auth.audience' },
  { name: 'LLM_PROVIDER', path: 'models.provider' },
  { name: 'LLM_MODEL', path: 'models.model' },
  { name: 'ANTHROPIC_API_KEY', path: 'models.anthropic.apiKey' },
  { name: 'ANTHROPIC_BASE_URL', path: 'models.anthropic.baseUrl' },
  { name: 'OPENAI_API_KEY', path: 'models.openai.apiKey' },
  { name: 'OPENAI_BASE_URL', path: 'models.openai.baseUrl' },
  { name: 'GOOGLE_GENERATIVE_AI_API_KEY', aliases: ['GEMINI_API_KEY'], path: 'models.google.apiKey' },
  { name: 'GOOGLE_GENERATIVE_AI_BASE_URL', aliases: ['GEMINI_BASE_URL'], path: 'models.google.baseUrl' },
  { name: 'COMPATIBLE_API_KEY', path: 'models.compatible.apiKey' },
  { name: 'COMPATIBLE_BASE_URL', path: 'models.compatible.baseUrl' },
  { name: 'MAX_OUTPUT_TOKENS', path: 'chat.maxOutputTokens' },
  { name: 'MAX_HISTORY_TOKENS', path: 'chat.maxHistoryTokens' },
  { name: 'MAX_HISTORY_MESSAGES', path: 'chat.maxHistoryMessages' },
  { name: 'ENABLE_CONVERSATION_COMPRESSION', path: 'chat.compression' },
  { name: 'ENABLE_CONVERSATION_SUMMARIES', path: 'chat.summaries' },
  { name: 'SESSION_TTL', path: 'sessions.ttl' },
  { name: 'AGENT_COMMAND', path: 'bridge.command' },
  { name: 'AGENT_ARGS', path: 'bridge.args', split: words },
  { name: 'AGENT_CWD', path: 'bridge.cwd' },
  { name: 'SESSION_FILE', path: 'bridge.sessionFile' },
  { name: 'AGENT_PERMISSIONS', path: 'bridge.permissions' },
  { name: 'AGENT_TOKEN', path: 'bridge.token' },
  { name: 'AGENT_TIMEOUT', path: 'bridge.timeout' },
]

export interface EnvironmentTree {
  /** The same tree as the YAML file, with only what the environment sets. */
  tree: Record<string, unknown>
  /** Path → the name under which it was set. */
  names: Map<string, string>
  /** The name under which a value, or what holds it, was set; empty when it was not. */
  nameAt(path: Path): string
}

/** An empty variable counts as unset, because that is how compose files and units pass on what nobody set. */
export function readEnvironment(
  env: NodeJS.ProcessEnv,
  complain: (complaint: Complaint) => void,
): EnvironmentTree {
  const tree: Record<string, unknown> = {}
  const names = new Map<string, string>()
  for (const variable of variables) {
    const given = [variable.name, ...(variable.aliases ?? [])].filter((name) => env[name])
    const [name, ...others] = given
    if (name === undefined) continue
    const other = others.find((alias) => env[alias] !== env[name])
    if (other) {
      const what = `and ${name} are two names of one setting and have different values; set only ${variable.name}`
      complain({ where: other, path: '', what })
    }
    names.set(variable.path, name)
    const text = env[name] ?? ''
    putAt(tree, variable.path.split('.'), variable.split ? variable.split(text) : text)
  }
  const nameAt = (path: Path) =>
    path.map((_, index) => names.get(path.slice(0, path.length - index).join('.'))).find(Boolean) ?? ''
  return { tree, names, nameAt }
}
