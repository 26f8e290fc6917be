import { z } from 'zod'
import type { FrozenRun } from './port.ts'
import type { Frozen } from './sandbox/frozen.ts'
import { readRun, storedRun } from './sandbox/stored-run.ts'

const FrozenState = z.object({
  memory: z.object({
    size: z.int(),
    stackPointer: z.number(),
    granules: z.int(),
    calls: z.array(z.number()),
  }),
  meter: z.object({
    executionMs: z.number(),
    cpuMs: z.number(),
    calls: z.int(),
    logBytes: z.number(),
    memoryBytes: z.number(),
  }),
  limits: z.object({
    cpuMs: z.number(),
    memoryBytes: z.number(),
    resultBytes: z.number(),
    logBytes: z.number(),
    calls: z.int(),
  }),
  timeoutMs: z.number(),
  isExtendable: z.boolean(),
  clockMs: z.number().nullable(),
  /** Where its lines come from. */
  map: z.string(),
})
export type FrozenState = z.infer<typeof FrozenState>

/** One piece of bytes and one of JSON. */
export function packed(frozen: Frozen, rest: Omit<FrozenState, 'memory'>): FrozenRun {
  const { image, memory, state } = storedRun(frozen)
  return { image, memory, state: { ...rest, memory: state } satisfies FrozenState }
}

export async function unpacked({ image, memory, state }: FrozenRun): Promise<{
  frozen: Frozen
  state: FrozenState
}> {
  const known = FrozenState.parse(state)
  return { frozen: await readRun(image, await memory, known.memory), state: known }
}
