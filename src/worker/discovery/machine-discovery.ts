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

/** Somebody waits for the answer. */
const describingMs = 150_000

export function openMachineDiscovery(needs: Needs): MachineDiscovery {
  const scans = openScans(needs)
  const closed = new AbortController()
  const describing = new Map<string, Promise<DescribedProgram>>()

  async function describe(id: string, asked: { model: boolean; ifNeverDone: boolean }) {
    const row = await theFound(needs.pool.db, id)
    if (asked.ifNeverDone && row.describedAt !== null) return asDescribed(row)
    if (row.goneAt !== null)
      throw new Problem('program_gone', `${row.path} is not there any more, so nothing can be asked of it`, {
        id,
      })
    const model = asked.model ? askModelOf(await needs.chat()) : undefined
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(describingMs)])
    const described = await describeProgram(needs, row, { signal, ...(model && { model }) }).catch(
      (error: unknown) => {
        if (!(error instanceof LookerLost)) throw error
        throw new Problem('machine_unavailable', error.message, { machineId: needs.machineId })
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
    confirm: (ids) => confirmHere(needs, ids),
    async close() {
      closed.abort()
      await scans.close()
      await Promise.allSettled(describing.values())
    },
  }
}
