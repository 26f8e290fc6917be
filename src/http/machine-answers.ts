import type { z } from 'zod'
import { listMachines } from '#db/machines.ts'
import type { Machine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { sourceMachines } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'
import { dataIn, openWorker } from './owning-worker.ts'

/** The definitions of thousands of tools. */
const longestAnswer = 64 * 1024 * 1024

/** Asks one machine for something that may be long, or take long. */
export async function askMachine<Shape extends z.ZodType>(
  db: Database,
  machine: Machine,
  path: string,
  body: unknown,
  shape: Shape,
  signal: AbortSignal,
): Promise<z.infer<Shape>> {
  const answer = await openWorker(db, machine, path, JSON.stringify(body), signal)
  const data = shape.safeParse(await dataIn(machine, answer, longestAnswer))
  if (data.success) return data.data
  throw new Problem(
    'machine_unavailable',
    `The worker on ${machine.name} answers in a way that this version does not understand`,
    { machineId: machine.id },
  )
}

export type MachineAnswer<Data> = { machine: Machine } & ({ data: Data } | { silence: Problem })

/** Asks all machines that have sources at once, and ours first. One that does not answer in time says nothing, and why is told. */
export async function askAll<Shape extends z.ZodType>(
  db: Database,
  { path, body, shape, first, isEverywhere = false, patienceMs = 5_000 }: Question<Shape>,
): Promise<MachineAnswer<z.infer<Shape>>[]> {
  const machines = await listMachines(db)
  const concerned = new Set([first, ...(await sourceMachines(db))])
  // Where there is no worker beside this web, any other has what all have.
  const isBeside = machines.some(({ id }) => id === first)
  const asked = machines
    .filter(({ id }) => isEverywhere || !isBeside || concerned.has(id))
    .toSorted((one, other) => Number(other.id === first) - Number(one.id === first))
  return Promise.all(
    asked.map(async (machine) => {
      try {
        const signal = AbortSignal.timeout(patienceMs)
        return { machine, data: await askMachine(db, machine, path, body, shape, signal) }
      } catch (error) {
        if (error instanceof Problem && error.code === 'machine_unavailable')
          return { machine, silence: error }
        throw error
      }
    }),
  )
}

interface Question<Shape> {
  path: string
  body: unknown
  shape: Shape
  /** The machine whose answer is to come first. */
  first: string
  /** Also of machines that have no sources. */
  isEverywhere?: boolean
  patienceMs?: number
}
