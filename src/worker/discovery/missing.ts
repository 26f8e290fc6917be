import { programsOfAgents } from '#db/agents.ts'
import type { Database } from '#db/pool.ts'
import { pathsOfConfirmed } from '#db/discovered.ts'
import { Problem } from '#domain/problem.ts'
import type { LookedFor } from '#flows/tell-missing-agents.ts'
import { checkBinary } from '../check-paths.ts'

/** Which of the agents' programs are there. One that may not be run is there all the same. */
export async function lookForAgents(db: Database, machineId: string): Promise<LookedFor[]> {
  const agents = await programsOfAgents(db, machineId)
  return Promise.all(
    agents.map(async ({ id, binaryPath }) => ({ id, binaryPath, isMissing: !(await isThere(binaryPath)) })),
  )
}

/** Of those that became agents, the ones that are there, whether or not they come first on PATH. */
export async function confirmedThere(db: Database, machineId: string): Promise<string[]> {
  const paths = await pathsOfConfirmed(db, machineId)
  const there = await Promise.all(paths.map(isThere))
  return paths.filter((_, index) => there[index])
}

const everywhere = { dirs: ['/'], linksLeadOut: true }

async function isThere(path: string): Promise<boolean> {
  try {
    await checkBinary(path, everywhere)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
