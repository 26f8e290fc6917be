import { READ_RESULT } from '#contract/tool.ts'
import { findMachine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { CallFailed } from '#tools/port.ts'
import type { RegistryHands } from '#tools/port.ts'
import { principalOf } from './native-tool.ts'
import { asFailure } from './remote-source.ts'
import type { AskElsewhere } from './remote-source.ts'

const patienceMs = 30_000

/** Reads on in an answer that another machine has cut, and keeps. */
export function restElsewhere(
  db: Database,
  ask: Pick<AskElsewhere, 'call'>,
): NonNullable<RegistryHands['readElsewhere']> {
  return async (caller, machineId, wanted) => {
    const machine = await findMachine(db, machineId)
    if (!machine)
      throw new CallFailed('bad_arguments', 'The machine that keeps the rest of this answer is gone.')
    const asked = { by: principalOf(caller), name: READ_RESULT, args: wanted }
    return ask.call(machine, asked, AbortSignal.timeout(patienceMs)).catch((error: unknown) => {
      throw asFailure(error)
    })
  }
}
