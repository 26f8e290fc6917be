import { accessSync, constants, statSync } from 'node:fs'
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path'
import type { EnclosedAgent, SessionAdapter, SessionAgent } from '#agents/port.ts'
import type { Enclosure } from '#boundaries/port.ts'
import type { TurnAsked } from '#contract/keeper.ts'
import { newId } from '#lib/id.ts'
import { NotStarted } from '#lib/program.ts'

export type AdapterName = 'claude' | 'codex' | 'acp'

export interface AgentSetup {
  command: string
  args: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
}

interface Parts extends AgentSetup {
  adapters: Record<AdapterName, () => Promise<SessionAdapter>>
  boundary: Enclosure
  /** In the environment of all its processes. */
  mark: string
  /** How long an agent may take until it can be talked to. */
  patienceMs: number
}

/** By its name: these two speak protocols of their own, every other one ACP. */
export function adapterFor(command: string): AdapterName {
  const name = basename(command)
  return name === 'claude' || name === 'codex' ? name : 'acp'
}

/** Starts the agent, and its session as the turn wants it. Rejects with NotStarted. */
export function openAgent(parts: Parts): (turn: TurnAsked) => Promise<SessionAgent> {
  const { command, args, cwd, env, adapters, boundary, mark, patienceMs } = parts
  const id = newId()
  return async (turn) => {
    const adapter = await adapters[adapterFor(command)]()
    const started: EnclosedAgent[] = []
    let isTooLate = false
    const timer = setTimeout(() => {
      isTooLate = true
      for (const program of started) void program.end(0)
    }, patienceMs)
    const launch = {
      executionId: newId(),
      epoch: 1,
      workspace: { id, driver: 'folder' as const, root: cwd },
      sessionId: id,
      adapter: adapterFor(command),
      program: findProgram(command, cwd, env),
      argv: [...args],
      env: environmentOf(env),
      cwd,
      timeoutMs: patienceMs,
      maxOutputBytes: Number.MAX_SAFE_INTEGER,
      notAfter: Date.now() + patienceMs,
      turn,
    }
    try {
      return await adapter.open(launch, {
        async start(program) {
          const running = await boundary.start(program, mark)
          started.push(running)
          if (isTooLate) void running.end(0)
          return running
        },
        frame: () => undefined,
      })
    } catch (error) {
      await Promise.all(started.map((program) => program.end(0)))
      if (isTooLate) throw new NotStarted(`${command} did not answer within ${patienceMs / 1000} s`)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

/** What is ours alone. Everything else is passed on: whoever starts a bridge sets the agent's variables for it. */
const ownNames =
  /^(?:SIGNALBOX_.*|AGENT_(?:COMMAND|ARGS|CWD|PERMISSIONS|TOKEN)|SESSION_FILE|DATABASE_URL|JWT_SECRET|OIDC_.*|NODE_COMPILE_CACHE)$/

function environmentOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !ownNames.test(entry[0]),
  )
  return Object.fromEntries(passed)
}

/** As a shell would find it. The seed's name for the usual agent is tried where the present one is not installed. */
function findProgram(command: string, cwd: string, env: NodeJS.ProcessEnv): string {
  if (command.includes('/')) return isAbsolute(command) ? command : resolve(cwd, command)
  const names = command === 'claude-agent-acp' ? [command, 'claude-code-acp'] : [command]
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(canRun)
  if (found) return found
  throw new NotStarted(
    `${command} is not installed, or not in PATH. Install it, or name another agent in AGENT_COMMAND`,
  )
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
