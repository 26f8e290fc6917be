import type { Config } from '#config/config.ts'
import { listAgents } from '#db/agents.ts'
import type { Database } from '#db/pool.ts'
import { modelHostsOf } from '#domain/model-hosts.ts'
import { knownAgent } from '#domain/presets.ts'
import { isDemo } from './demo-program.ts'
import { modelForwards } from './model-forwards.ts'
import { ownForward } from './own-tools.ts'
import { mountFor } from './program-mounts.ts'
import type { Inside } from './workspace-spec.ts'

export interface InsideNeeds {
  db: Database
  config: Config
  machineId: string
  /** Of this process. */
  env: NodeJS.ProcessEnv
}

/** What agents find inside the walls of this machine's workspaces: all of its agents, so that any may work in any of them. */
export async function insideOf({ db, config, machineId, env }: InsideNeeds): Promise<Inside> {
  const agents = (await listAgents(db)).filter(
    (agent) => agent.active && (agent.machineId === null || agent.machineId === machineId),
  )
  const models = modelForwards(config, env)
  const keys = agents.flatMap((agent) => knownAgent(agent)?.key ?? [])
  const modelHosts = modelHostsOf(
    keys,
    models.map(({ url }) => url),
  )
  const mounts = await Promise.all(
    agents.flatMap(({ binaryPath }) =>
      binaryPath && !isDemo(binaryPath) ? [mountFor(binaryPath, config.home)] : [],
    ),
  )
  const forwards = [...models, ...(await ownForward(db, config, machineId))]
  return { modelHosts, forwards, mounts: outermost(mounts.filter((mount) => mount !== undefined)) }
}

/** Each once, and none that is in another. */
function outermost(paths: string[]): string[] {
  const all = [...new Set(paths)].toSorted()
  return all.filter((path) => !all.some((other) => path.startsWith(`${other}/`)))
}
