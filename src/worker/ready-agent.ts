import type { Agent, AgentPreset } from '#contract/agent.ts'
import { inside } from '#contract/host.ts'
import type { Launch } from '#contract/keeper.ts'
import type { Database } from '#db/pool.ts'
import { findSession } from '#db/sessions.ts'
import { presets } from '#domain/presets.ts'
import { environmentFor } from '#lib/environment.ts'
import { checkBinary } from './check-paths.ts'
import { insideArguments, insideEnvironment } from './inside-environment.ts'
import { makeHome } from './inside-home.ts'
import { insideProgram } from './inside-program.ts'
import { loginFilesOf } from './login-files.ts'
import { portVariables } from './port-variables.ts'
import { binaryDirs, readyProgram } from './presets.ts'
import type { Machine } from './presets.ts'
import type { Prepared } from './ready-workspace.ts'

export interface ReadyAgent extends Pick<Launch, 'program' | 'env' | 'cwd'> {
  /** What comes before the agent's own arguments. */
  argv: string[]
}

interface Asked {
  db: Database
  machine: Machine
  agent: Agent & { binaryPath: string }
  sessionId: string
  /** Whether it is talked to: then it has to have a way to its model. */
  isTalkedTo: boolean
}

/** An agent as it is started in this workspace. Everything is checked again. Throws a Problem that says why it cannot be. */
export async function readyAgent(asked: Asked, prepared: Prepared): Promise<ReadyAgent> {
  const { machine, agent, isTalkedTo } = asked
  const { row, spec } = prepared
  if (spec.driver !== 'folder') return readyInside(asked, { row, spec })
  const cwd = spec.root
  const program = isTalkedTo
    ? await readyProgram(machine, agent, cwd)
    : await checkBinary(agent.binaryPath, binaryDirs(machine.config))
  const env = { ...environmentFor(machine.env, agent.envAllowlist), ...portVariables(row) }
  return { program, argv: [], env, cwd }
}

type Enclosed = Exclude<Prepared['spec'], { driver: 'folder' }>

async function readyInside(
  { db, machine, agent, sessionId, isTalkedTo }: Asked,
  { row, spec }: { row: Prepared['row']; spec: Enclosed },
): Promise<ReadyAgent> {
  const { forwards, homes } = spec
  const { logins } = row
  const program = await insideProgram(machine, agent, spec, logins, isTalkedTo)
  const files = logins.filter(isPreset).flatMap((key) => loginFilesOf(key, machine.env))
  const home = await makeHome(homes, await homeIdOf(db, sessionId), files)
  return {
    program,
    argv: insideArguments(agent, { forwards, logins }),
    env: insideEnvironment(agent, { ...machine, forwards, logins, home }),
    cwd: inside.root,
  }
}

const isPreset = (name: string): name is AgentPreset => Object.hasOwn(presets, name)

/** A session that was forked finds what it goes on with in the home of the one that it comes from. */
export async function homeIdOf(db: Database, sessionId: string): Promise<string> {
  let id = sessionId
  for (;;) {
    const parent = (await findSession(db, id))?.parentSessionId
    if (!parent) return id
    id = parent
  }
}
