import type { FoundProgram } from '../../../src/contract/discovery.ts'
import { discoveryStrings as words } from '../../strings/discovery.ts'
import { queryClient } from '../../query-client.ts'
import { toast } from '../../ui/toast.tsx'
import { discoveryApi } from './discovery-api.ts'
import { foundKey } from './use-found.ts'

type Named = Pick<FoundProgram, 'id' | 'name' | 'machineId'>

/** Makes agents of them. Answers whether it was done; why not is told. */
export const confirmFound = (programs: readonly Named[]): Promise<boolean> =>
  decided(async () => {
    // Each machine makes its own agents, all or none.
    for (const ofOne of Map.groupBy(programs, ({ machineId }) => machineId).values())
      await discoveryApi.confirm(ofOne.map(({ id }) => id))
    toast(words.confirmed(programs.length, programs[0]?.name ?? ''))
  })

/** Puts them out of sight, or brings them back. */
export const hideFound = (programs: readonly Named[], hide: boolean): Promise<boolean> =>
  decided(async () => {
    for (const ofOne of Map.groupBy(programs, ({ machineId }) => machineId).values())
      await discoveryApi.hide(
        ofOne.map(({ id }) => id),
        hide,
      )
    const told = hide ? words.hidden : words.shown
    toast(told(programs.length, programs[0]?.name ?? ''), {
      action: { label: words.undo, run: () => void hideFound(programs, !hide) },
    })
  })

async function decided(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    toast(words.notDone(error instanceof Error ? error.message : String(error)), { isProblem: true })
    return false
  } finally {
    void queryClient.invalidateQueries({ queryKey: foundKey })
    void queryClient.invalidateQueries({ queryKey: ['agents'] })
  }
}
