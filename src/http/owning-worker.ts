import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { SignJWT } from 'jose'
import { z } from 'zod'
import type { Machine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { signingKey } from '#db/signing-keys.ts'
import { Problem, isProblemCode } from '#domain/problem.ts'

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
): Promise<z.infer<Shape>> {
  const token = await internalToken(db, machine.id)
  let answer
  try {
    answer = await post(machine.url, path, token, JSON.stringify(body), patienceMs)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw unavailable(machine, `does not answer (${why}). Start it: signalbox worker`)
  }
  const value = parsed(answer.text)
  if (answer.status !== 200) throw refusalOf(machine, answer.status, value)
  const data = shape.safeParse(Wrapped.safeParse(value).data?.data)
  if (!data.success) throw unavailable(machine, 'answers in a way that this version does not understand')
  return data.data
}

/** Short-lived, and good for this machine alone. */
async function internalToken(db: Database, machineId: string): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('signalbox')
    .setAudience(machineId)
    .setIssuedAt()
    .setExpirationTime('30s')
    .sign(await signingKey(db, 'internal'))
}

interface Answer {
  status: number
  text: string
}

async function post(
  url: string,
  path: string,
  token: string,
  body: string,
  patienceMs: number,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(patienceMs)
  if (url.startsWith('unix:')) {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        socketPath: url.slice('unix:'.length),
        path,
        method: 'POST',
        headers,
        signal,
        agent: false,
      }
      request(options, resolve).on('error', reject).end(body)
    })
    return { status: response.statusCode ?? 0, text: await textOf(response) }
  }
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers,
    body,
    signal,
    redirect: 'error',
  })
  return { status: response.status, text: response.body ? await textOf(response.body) : '' }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of chunks) {
    bytes += piece.length
    if (bytes > longestAnswer) throw new Error('the answer is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
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
