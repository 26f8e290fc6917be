import { delimiter, isAbsolute, join } from 'node:path'
import type { Config } from '#config/config.ts'
import type { Agent, AgentPreset } from '#contract/agent.ts'
import type { PresetOnMachine } from '#contract/preset.ts'
import { isItself, isOlder, knownAgent, presets } from '#domain/presets.ts'
import type { KnownAgent } from '#domain/presets.ts'
import { Problem } from '#domain/problem.ts'
import { environmentFor } from '#lib/environment.ts'
import { checkBinary } from './check-paths.ts'
import type { BinaryDirs } from './check-paths.ts'
import { demoProgram } from './demo-program.ts'
import { codexHome, envKeysIn, loginOf, textIn } from './login.ts'
import { programVersion } from './program-version.ts'

export interface Machine {
  config: Config
  /** Of this process: what is passed on comes from here. */
  env: NodeJS.ProcessEnv
}

/** The known coding agents as they are here; with a key only that one, with a program that one in place of what is found. */
export function presetsHere(
  machine: Machine,
  { key, binaryPath }: { key?: AgentPreset | undefined; binaryPath?: string | undefined } = {},
): Promise<PresetOnMachine[]> {
  const asked = key ? [presets[key]] : Object.values(presets)
  return Promise.all(asked.map((known) => look(machine, known, binaryPath)))
}

async function look(machine: Machine, known: KnownAgent, wanted?: string): Promise<PresetOnMachine> {
  const { key, name, adapter, install, leastVersion, args } = known
  const envAllowlist = [...known.envAllowlist, ...(await keysOfItsOwn(machine, known))]
  const env = environmentFor(machine.env, envAllowlist)
  const binaryPath = wanted ?? (await findBinary(machine, known.binary)) ?? null
  const [told, login] = await Promise.all([
    binaryPath === null ? { version: null, trouble: null } : programVersion(binaryPath, env),
    loginOf(key, { env }),
  ])
  return {
    key,
    name,
    adapter,
    installed: binaryPath !== null,
    binaryPath,
    ...told,
    leastVersion,
    tooOld: told.version !== null && isOlder(told.version, leastVersion),
    login,
    install,
    args: [...args],
    envAllowlist,
  }
}

/** The first on PATH, or in a folder that is allowed, that the machine lets agents run. */
async function findBinary({ config, env }: Machine, name: string): Promise<string | undefined> {
  if (name === presets.demo.binary) return demoProgram
  const onPath = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  for (const folder of new Set([...onPath, ...config.allowedBinaryDirs])) {
    const found = await checkBinary(join(folder, name), binaryDirs(config)).catch(() => undefined)
    if (found) return found
  }
  return undefined
}

/** Codex's own configuration may take a key from a variable that only its owner knows of. */
async function keysOfItsOwn({ env }: Machine, { key }: KnownAgent): Promise<string[]> {
  if (key !== 'codex') return []
  const config = await textIn(join(codexHome(environmentFor(env, ['CODEX_HOME'])), 'config.toml'))
  return envKeysIn(config ?? '').filter((name) => !/^(SIGNALBOX_.*|DATABASE_URL|JWT_SECRET)$/.test(name))
}

/**
 * The program of an agent that is about to be talked to. Throws `agent_not_ready` with what to run when it is missing, too
 * old, or surely not logged in: its own words for that come late, and are not everybody's.
 */
export async function readyProgram(machine: Machine, agent: Asked, cwd: string): Promise<string> {
  const program = await checkedProgram(machine, agent)
  const known = knownAgent(agent)
  if (!known || !isItself(known, program)) return program
  const env = environmentFor(machine.env, agent.envAllowlist)
  const login = await loginOf(known.key, { env, cwd, args: agent.args })
  if (login.state === 'no') throw notReady(agent, `it is not logged in: ${login.how}`)
  return program
}

type Asked = Pick<Agent, 'name' | 'preset' | 'adapter' | 'args' | 'envAllowlist'> & { binaryPath: string }

/** The same, whether it is logged in or not. */
export async function checkedProgram({ config, env: ours }: Machine, agent: Asked): Promise<string> {
  const known = knownAgent(agent)
  const program = await checkBinary(agent.binaryPath, binaryDirs(config)).catch((error: unknown) => {
    const isMissing = error instanceof Problem && error.code === 'does_not_fit'
    throw known && isMissing ? notReady(agent, `${error.message}. Install it: ${known.install}`) : error
  })
  if (!known) return program
  const { version } = await programVersion(program, environmentFor(ours, agent.envAllowlist))
  if (version !== null && isOlder(version, known.leastVersion)) throw notReady(agent, tooOld(known, version))
  return program
}

const notReady = ({ name }: Pick<Agent, 'name'>, why: string): Problem =>
  new Problem('agent_not_ready', `${name} is not ready: ${why}`)

export const tooOld = ({ name, leastVersion, install }: KnownAgent, version: string): string =>
  `${name} ${version} is too old, it takes ${leastVersion} or newer. Update it: ${install}`

export const binaryDirs = (config: Config): BinaryDirs => ({
  dirs: config.allowedBinaryDirs,
  ours: [demoProgram],
  linksLeadOut: !config.sources.has('security.allowedBinaryDirs'),
})
