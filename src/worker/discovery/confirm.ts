import { LookerLost } from '#discovery/port.ts'
import { CreateAgent } from '#contract/agent.ts'
import type { Agent } from '#contract/agent.ts'
import { findManyDiscovered } from '#db/discovered.ts'
import type { DiscoveredRow } from '#db/discovered.ts'
import { newAgent } from '#domain/agent.ts'
import { askCapability } from '#domain/presets.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { confirmFound } from '#flows/confirm-found.ts'
import type { Becoming, Confirmed } from '#flows/confirm-found.ts'
import { checkAllThere } from '#flows/find-found.ts'
import { someAtATime } from '#lib/some-at-a-time.ts'
import { checkBinary } from '../check-paths.ts'
import { binaryDirs, presetsHere } from '../presets.ts'
import { describeProgram } from './describe.ts'
import type { ScanNeeds } from './scan.ts'

/** What nobody has looked at by then can be run as a whole, and for more once somebody looks. */
const describingMs = 15_000
const describedAtOnce = 3

/** Makes agents of what was found here. Everything that can be refused is refused before anything is made; once `closed` nothing is. */
export async function confirmHere(
  needs: ScanNeeds & { machineName: string },
  ids: readonly string[],
  closed: AbortSignal,
): Promise<Agent[]> {
  closed.throwIfAborted()
  const rows = await findManyDiscovered(needs.pool.db, ids)
  checkAllThere(ids, rows)
  const fresh = rows.filter(({ agentId }) => agentId === null)
  for (const row of fresh) await checkAllowed(needs, row)
  const until = AbortSignal.any([closed, AbortSignal.timeout(describingMs)])
  const described = await someAtATime(fresh, describedAtOnce, (row) => describedBy(needs, row, until))
  const byId = new Map([...rows, ...described].map((row) => [row.id, row]))
  const wanted: Confirmed[] = []
  for (const id of new Set(ids.map((id) => id.toLowerCase()))) {
    closed.throwIfAborted()
    wanted.push({ id, becoming: await becomingOf(needs, byId.get(id)!) })
  }
  closed.throwIfAborted()
  return needs.pool.transaction((tx) => confirmFound(tx, needs.machineName, wanted))
}

async function checkAllowed({ config }: ScanNeeds, { id, path, goneAt }: DiscoveredRow): Promise<void> {
  if (goneAt)
    throw new Problem('program_gone', `${path} is not there any more: scan again once it is back`, { id })
  try {
    await checkBinary(path, binaryDirs(config()))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code !== 'does_not_fit') throw new Problem(error.code, error.message, { ...error.context, id })
    throw new Problem('program_gone', `${error.message}: scan again to see what is there`, { id, path })
  }
}

async function describedBy(needs: ScanNeeds, row: DiscoveredRow, until: AbortSignal): Promise<DiscoveredRow> {
  if (row.describedAt !== null || row.preset !== null || until.aborted) return row
  return describeProgram(needs, row, { signal: until }).catch((error: unknown) => {
    if (until.aborted || error instanceof LookerLost) return row
    throw error
  })
}

async function becomingOf(needs: ScanNeeds, row: DiscoveredRow): Promise<Becoming | undefined> {
  const { machineId, path: binaryPath, preset } = row
  if (row.agentId !== null) return undefined
  const named = preset === null ? { name: row.name } : { preset }
  const asked = CreateAgent.safeParse({ machineId, binaryPath, ...named })
  if (!asked.success) throw bodyMisfit('ids', `${JSON.stringify(row.path)} has a name that no agent can have`)
  if (preset === null)
    return {
      agent: { ...newAgent(asked.data, undefined), machineId },
      capabilities: await needs.capabilities(row, row.schema),
    }
  const machine = { config: needs.config(), env: needs.env }
  const [found] = await presetsHere(machine, { key: preset, binaryPath })
  return { agent: { ...newAgent(asked.data, found), machineId }, capabilities: [askCapability] }
}
