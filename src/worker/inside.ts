import type { Config } from '#config/config.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import type { Database } from '#db/pool.ts'

/** What agents need of the machine inside walls: their programs, their models, and the way to both. */
export type Inside = Pick<EnclosedSpec, 'modelHosts' | 'forwards' | 'mounts'>

export interface InsideNeeds {
  db: Database
  config: Config
  machineId: string
  /** Of this process. */
  env: NodeJS.ProcessEnv
}

export function insideOf(_needs: InsideNeeds): Promise<Inside> {
  return Promise.resolve({ modelHosts: [], forwards: [], mounts: [] })
}
