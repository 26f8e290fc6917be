import { realpath } from 'node:fs/promises'
import { isAbsolute, normalize } from 'node:path'
import type { Agent } from '#contract/agent.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import { claudeClouds, isItself, knownAgent } from '#domain/presets.ts'
import { Problem } from '#domain/problem.ts'
import { checkBinary } from './check-paths.ts'
import { demoInside, isDemo } from './demo-program.ts'
import { waysOf } from './inside-environment.ts'
import { binaryDirs, checkedProgram } from './presets.ts'
import type { Machine } from './presets.ts'
import { mountFor } from './program-mounts.ts'

type Who = Pick<Agent, 'name' | 'preset' | 'adapter' | 'args' | 'envAllowlist'> & { binaryPath: string }

/**
 * The path of an agent's program as it is inside walls. One that is not on this machine is one of the image, which nobody can
 * look into before it runs. Throws a Problem when it is not allowed, too old, or has no way to its model.
 */
export async function insideProgram(
  machine: Machine,
  agent: Who,
  { driver, forwards }: Pick<EnclosedSpec, 'driver' | 'forwards'>,
  logins: readonly string[],
  isTalkedTo: boolean,
): Promise<string> {
  const { binaryPath } = agent
  if (isDemo(binaryPath)) return demoInside
  if (isTalkedTo) checkWay(machine, agent, { forwards, logins })
  const isHere = (await realpath(binaryPath).catch(() => undefined)) !== undefined
  if (!isHere && driver === 'docker' && isAbsolute(binaryPath)) return normalize(binaryPath)
  const program = isTalkedTo
    ? await checkedProgram(machine, agent)
    : await checkBinary(binaryPath, binaryDirs(machine.config))
  // What is mounted is the real thing; the links that lead to it are not inside.
  return (await mountFor(program, machine.config.home)) === undefined ? program : realpath(program)
}

const needed = {
  claude: ['anthropic', 'ANTHROPIC_API_KEY'],
  codex: ['openai', 'OPENAI_API_KEY'],
  gemini: ['google', 'GEMINI_API_KEY'],
} as const

function checkWay(
  { env }: Machine,
  agent: Who,
  setting: Pick<EnclosedSpec, 'forwards'> & { logins: readonly string[] },
): void {
  const known = knownAgent(agent)
  if (!known || known.key === 'opencode' || known.key === 'demo' || !isItself(known, agent.binaryPath)) return
  const isCloud = [...claudeClouds, 'GOOGLE_GENAI_USE_VERTEXAI'].some(
    (name) => env[name] && agent.envAllowlist.includes(name),
  )
  const [provider, variable] = needed[known.key]
  const hasWay = setting.logins.includes(known.key) || waysOf(agent, setting).includes(provider)
  if (!hasWay && !isCloud)
    throw new Problem(
      'agent_not_ready',
      `${agent.name} is not ready: inside this workspace it has no way to its model. Start Signalbox with ${variable}, or name ${known.key} in the workspace's setting "logins", which copies its login there`,
    )
}
