import { z } from 'zod'
import type { Machine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { Problem, isProblemCode } from '#domain/problem.ts'
import { hasCode } from '#lib/error-code.ts'
import { readWhole } from '#lib/read-whole.ts'
import { internalToken } from './internal-token.ts'
import { postTo } from './worker-line.ts'
import type { WorkerAnswer } from './worker-line.ts'

const usualPatienceMs = 5_000
const longestAnswer = 1_048_576

const Refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    context: z.record(z.string(), z.unknown()).optional(),
  }),
})

const Wrapped = z.object({ data: z.unknown() })

/** Asks the worker of a machine over its internal API. Its own refusals reach the caller as they are. */
export async function askWorker<Shape extends z.ZodType>(
  db: Database,
  machine: Machine,
  path: string,
  body: unknown,
  shape: Shape,
  patienceMs = usualPatienceMs,
  longest = longestAnswer,
): Promise<z.infer<Shape>> {
  const signal = AbortSignal.timeout(patienceMs)
  const answer = await openWorker(db, machine, path, JSON.stringify(body), signal)
  const data = shape.safeParse(await dataIn(machine, answer, longest))
  if (!data.success) throw unavailable(machine, 'answers in a way that this version does not understand')
  return data.data
}

/** The same for an answer that is read by whoever asks, once it begins. */
export async function openWorker(
  db: Database,
  machine: Machine,
  path: string,
  body: string,
  signal: AbortSignal,
): Promise<WorkerAnswer> {
  let answer
  try {
    answer = await postTo(machine.url, path, await internalToken(db, machine.id), body, signal)
  } catch (error) {
    throw silent(machine, error)
  }
  if (answer.status === 200) return answer
  throw await refusedBy(machine, answer)
}

/** What is in the `{data}` of an answer that is not longer than this. */
export async function dataIn(machine: Machine, answer: WorkerAnswer, longest: number): Promise<unknown> {
  return Wrapped.safeParse(parsed(await textOf(machine, answer, longest))).data?.data
}

/** What a worker says instead of doing what it was asked for. */
export async function refusedBy(machine: Machine, answer: WorkerAnswer): Promise<Problem> {
  return refusalOf(machine, answer.status, parsed(await textOf(machine, answer, longestAnswer)))
}

async function textOf(machine: Machine, { body }: WorkerAnswer, longest: number): Promise<string> {
  try {
    return (await readWhole(body, longest)).toString('utf8')
  } catch (error) {
    throw silent(machine, error)
  }
}

export function silent(machine: Machine, error: unknown): Problem {
  const why = error instanceof Error ? error.message : String(error)
  const back = 'It comes back by itself under `signalbox up`; otherwise start it: signalbox worker'
  return hasCode(error, 'ECONNRESET') || hasCode(error, 'EPIPE')
    ? unavailable(
        machine,
        `went away before it answered (${why}): whether it did what it was asked for is not known. ${back}`,
      )
    : unavailable(machine, `does not answer (${why}). ${back}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusalOf(machine: Machine, status: number, value: unknown): Problem {
  const refusal = Refusal.safeParse(value)
  // It is web that was not let in then, not the caller.
  if (status === 401) return unavailable(machine, 'does not let us in: do both use the same database?')
  if (!refusal.success || !isProblemCode(refusal.data.error.code))
    return unavailable(machine, `failed (${status}); its log says why`)
  const { code, message, context } = refusal.data.error
  return new Problem(code, message, context)
}

const unavailable = (machine: Machine, why: string): Problem =>
  new Problem('machine_unavailable', `The worker on ${machine.name} ${why}`, { machineId: machine.id })
