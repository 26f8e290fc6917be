import type { Agent } from '#contract/agent.ts'
import type { DescribedProgram, ScanProgress } from '#contract/discovery.ts'
import type { Chat } from '#chat/port.ts'
import { LookerLost } from '#discovery/port.ts'
import { asDescribed } from '#db/discovered-list.ts'
import { Problem } from '#domain/problem.ts'
import { theFound } from '#flows/find-found.ts'
import { askModelOf } from './ask-model.ts'
import { confirmHere } from './confirm.ts'
import { describeProgram } from './describe.ts'
import { openScans } from './scan.ts'
import type { ScanNeeds } from './scan.ts'

/** What was found on this machine, and what is done with it. */
export interface MachineDiscovery {
  /** Begins a scan, or joins the one that is looking now. */
  scan(): Promise<ScanProgress>
  /** Looks again at what a program can be asked for; only with `model` a model is asked. */
  describe(id: string, asked: { model: boolean; ifNeverDone: boolean }): Promise<DescribedProgram>
  confirm(ids: readonly string[]): Promise<Agent[]>
  close(): Promise<void>
}

interface Needs extends ScanNeeds {
  machineName: string
  chat: () => Promise<Chat>
}

/** Somebody waits for the answer: what a program says takes half a minute at most, a model may think for longer. */
const describingMs = { alone: 45_000, withModel: 150_000 }

export function openMachineDiscovery(needs: Needs): MachineDiscovery {
  const scans = openScans(needs)
  const closed = new AbortController()
  const describing = new Map<string, Promise<DescribedProgram>>()
  const confirming = new Set<Promise<Agent[]>>()

  async function describe(id: string, asked: { model: boolean; ifNeverDone: boolean }) {
    const row = await theFound(needs.pool.db, id)
    if (asked.ifNeverDone && row.describedAt !== null) return asDescribed(row)
    if (row.goneAt !== null)
      throw new Problem('program_gone', `${row.path} is not there any more, so nothing can be asked of it`, {
        id,
      })
    const model = asked.model ? askModelOf(await needs.chat()) : undefined
    const late = AbortSignal.timeout(model ? describingMs.withModel : describingMs.alone)
    const signal = AbortSignal.any([closed.signal, late])
    const described = await describeProgram(needs, row, { signal, ...(model && { model }) }).catch(
      (error: unknown) => {
        const { machineId } = needs
        if (error instanceof LookerLost)
          throw new Problem('machine_unavailable', error.message, { machineId })
        if (closed.signal.aborted) throw new Problem('machine_unavailable', stopping, { machineId })
        if (late.aborted) throw new Problem('machine_unavailable', tooBusy(row.name), { machineId })
        throw error
      },
    )
    return asDescribed(described)
  }

  return {
    scan: () => scans.begin(),
    describe(id, asked) {
      const key = `${id} ${asked.model}`
      const going = describing.get(key) ?? describe(id, asked).finally(() => describing.delete(key))
      describing.set(key, going)
      return going
    },
    confirm(ids) {
      const going = confirmHere(needs, ids, closed.signal)
        .catch((error: unknown) => {
          if (!closed.signal.aborted || error instanceof Problem) throw error
          throw new Problem('machine_unavailable', stopping, { machineId: needs.machineId })
        })
        .finally(() => confirming.delete(going))
      confirming.add(going)
      return going
    },
    async close() {
      closed.abort()
      await scans.close()
      await Promise.allSettled([...describing.values(), ...confirming])
    },
  }
}

const stopping = 'The worker of this machine is stopping, so nothing was done: try again once it is back'
const tooBusy = (name: string) =>
  `This machine is too busy to find out what ${name} can be asked for: try again when it has less to do`
