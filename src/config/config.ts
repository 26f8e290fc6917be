import { availableParallelism, homedir, tmpdir } from 'node:os'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { homeOf } from '#lib/home.ts'
import { keepOutOfLogs } from '#lib/redact.ts'
import { check } from './check.ts'
import { ConfigError } from './config-error.ts'
import type { Complaint } from './config-error.ts'
import { contradictions } from './contradictions.ts'
import { readEnvironment } from './environment.ts'
import { referencesIn } from './references.ts'
import type { References } from './references.ts'
import { readConfigFile } from './file.ts'
import { secretsIn } from './secrets.ts'
import { shapeAt } from './shape.ts'
import type { Shape } from './shape.ts'
import { leavesOf, putAt, valueAt } from '#lib/tree.ts'
import type { Path } from '#lib/tree.ts'

/** All that a process is told from outside, checked once at its start. Times are milliseconds, sizes are bytes. */
export interface Config {
  home: string
  configFile?: string
  host: string
  port: number
  terminalPort: number
  publicUrl?: string
  trustProxy: boolean
  databaseUrl?: string
  allowedWorkingDirs: string[]
  allowedBinaryDirs: string[]
  worker: Omit<
    Shape['worker'],
    | 'heartbeatInterval'
    | 'staleAfter'
    | 'lostAfter'
    | 'approvalExpires'
    | 'agentIdle'
    | 'stallAfter'
    | 'minFreeDisk'
  > & {
    heartbeatIntervalMs: number
    staleAfterMs: number
    lostAfterMs: number
    approvalExpiresMs: number
    agentIdleMs: number
    stallAfterMs: number
    minFreeDiskBytes: number
  }
  terminal: Omit<Shape['terminal'], 'idle'> & { idleMs: number }
  cors: Shape['server']['cors']
  auth: Shape['security']['auth']
  log: Omit<Shape['logging'], 'dir'> & { dir: string }
  sandbox: Shape['sandbox'] & { workers: { max: number } }
  capabilities: Shape['security']['capabilities']
  mcp: Shape['mcp'] & {
    /** Where the file names variables, by server: what stands there. */
    references: References
  }
  models: Shape['models']
  chat: Shape['chat']
  sessionTtlMs: number
  agents: Shape['agents']
  workspaces: Shape['workspaces']
  policies: Shape['policies']
  budgets: Shape['budgets']
  bridge: Shape['bridge'] & { cwd: string; port: number; sessionFile: string }
  /** Where a value comes from, by its key in the YAML tree (`server.port`). What is not named has its default. */
  sources: ReadonlyMap<string, Source>
}

export type Source = 'environment' | 'file'

interface Given {
  env: NodeJS.ProcessEnv
  cwd: string
  /** Other machines may reach a bridge by its token. */
  isBridge?: boolean
}

/** Reads environment and YAML once. Throws a ConfigError that names everything that is wrong. */
export function loadConfig({ env, cwd, isBridge = false }: Given): Config {
  const complaints: Complaint[] = []
  const complain = (complaint: Complaint) => void complaints.push(complaint)
  const userHome = env['HOME'] || homedir()

  const file = readConfigFile({ env, cwd }, complain)
  const environment = readEnvironment(env, complain)
  const whereInFile = (path: Path, part: 'key' | 'value') => file?.whereIs(path, part) ?? ''
  const whereInEnvironment = (path: Path) => environment.nameAt(path)
  const shapeOfFile = shapeAt({ folder: file ? dirname(file.file) : cwd, userHome })
  const fromFile = check(shapeOfFile, file?.value ?? {}, whereInFile, complain)
  const shapeOfEnvironment = shapeAt({ folder: cwd, userHome })
  const fromEnvironment = check(shapeOfEnvironment, environment.tree, whereInEnvironment, (complaint) =>
    complain({ ...complaint, path: '' }),
  )
  const sources = new Map<string, Source>(leavesOf(file?.value).map((path) => [path, 'file']))
  if (fromFile && fromEnvironment) {
    for (const path of environment.names.keys()) {
      putAt(fromFile, path.split('.'), valueAt(fromEnvironment, path.split('.')))
      sources.set(path, 'environment')
    }
    for (const { path, what } of contradictions(fromFile, isBridge)) {
      const keys = path.split('.')
      const name = environment.nameAt(keys)
      complain(name ? { where: name, path: '', what } : { where: whereInFile(keys, 'value'), path, what })
    }
  }
  keepOutOfLogs(...secretsIn(fromFile))
  if (!fromFile || complaints.length > 0) throw new ConfigError(complaints)
  const references = file ? referencesIn(file) : new Map()
  return arrange(fromFile, { env, cwd, sources, references, ...(file && { configFile: file.file }) })
}

interface Surroundings {
  env: NodeJS.ProcessEnv
  cwd: string
  sources: Map<string, Source>
  references: References
  configFile?: string
}

/** From the tree that people write to the object that the code reads, with the defaults that depend on the machine. */
function arrange(tree: Shape, { env, cwd, sources, references, configFile }: Surroundings): Config {
  const { server, worker, logging, security, sandbox, bridge } = tree
  const { publicUrl, host, port, terminalPort, trustProxy, cors } = server
  const {
    heartbeatInterval,
    staleAfter,
    lostAfter,
    approvalExpires,
    agentIdle,
    stallAfter,
    minFreeDisk,
    ...restOfWorker
  } = worker
  const { idle, ...restOfTerminal } = tree.terminal
  const home = homeOf(env, cwd)
  const cores = availableParallelism()
  return {
    home,
    ...(configFile !== undefined && { configFile }),
    host,
    port,
    terminalPort,
    trustProxy,
    cors,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(tree.database.url !== undefined && { databaseUrl: tree.database.url }),
    allowedWorkingDirs: security.allowedWorkingDirs ?? [resolve(cwd)],
    allowedBinaryDirs: security.allowedBinaryDirs ?? (env['PATH'] ?? '').split(delimiter).filter(isAbsolute),
    worker: {
      ...restOfWorker,
      heartbeatIntervalMs: heartbeatInterval,
      staleAfterMs: staleAfter,
      lostAfterMs: lostAfter,
      approvalExpiresMs: approvalExpires,
      agentIdleMs: agentIdle,
      stallAfterMs: stallAfter,
      minFreeDiskBytes: minFreeDisk,
    },
    terminal: { ...restOfTerminal, idleMs: idle },
    auth: security.auth,
    log: { ...logging, dir: logging.dir ?? join(home, 'logs') },
    sandbox: {
      ...sandbox,
      workers: { ...sandbox.workers, max: sandbox.workers.max ?? Math.max(sandbox.workers.min, cores) },
    },
    capabilities: security.capabilities,
    mcp: { ...tree.mcp, references },
    models: tree.models,
    chat: tree.chat,
    sessionTtlMs: tree.sessions.ttl,
    agents: tree.agents,
    workspaces: tree.workspaces,
    policies: tree.policies,
    budgets: tree.budgets,
    bridge: {
      ...bridge,
      cwd: bridge.cwd ?? resolve(cwd),
      port: sources.has('server.port') ? port : 3002,
      sessionFile: bridge.sessionFile ?? join(env['TMPDIR'] || tmpdir(), 'agent-session.json'),
    },
    sources,
  }
}
