import type { z } from 'zod'
import { ErrorAnswer, many, one } from '#contract/answer.ts'
import { inertLine } from '#lib/inert-text.ts'
import { notRunning } from './connection.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'

const PAGE_SIZE = 500
const PATIENCE_MS = 30_000

export interface Question {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
  /** For what takes its time; usually 30 s. */
  patienceMs?: number
}

/** Every page of a list, each entry once, also when the list changes meanwhile. */
export async function readAll<Entry extends { id: string }>(
  connection: Connection,
  path: string,
  query: Record<string, string>,
  shape: z.ZodType<Entry>,
): Promise<Entry[]> {
  const found = new Map<string, Entry>()
  for (let page = 1; ; page += 1) {
    const search = new URLSearchParams({ ...query, page: String(page), pageSize: String(PAGE_SIZE) })
    const { data, meta } = await read(connection, `${path}?${search.toString()}`, {}, many(shape))
    for (const entry of data) found.set(entry.id, entry)
    if (data.length === 0 || page * meta.pageSize >= meta.total) break
  }
  return [...found.values()]
}

/** One thing: read, or what became of it. */
export async function ask<Thing>(
  connection: Connection,
  path: string,
  shape: z.ZodType<Thing>,
  question: Question = {},
): Promise<Thing> {
  const answer: { data: unknown } = await read(connection, path, question, one(shape))
  return answer.data as Thing
}

async function read<Answer>(
  connection: Connection,
  path: string,
  question: Question,
  shape: z.ZodType<Answer>,
): Promise<Answer> {
  const headers = { ...question.headers, accept: 'application/json' }
  const signal = AbortSignal.timeout(question.patienceMs ?? PATIENCE_MS)
  const answered = await open(connection, path, { ...question, headers, signal })
  const answer = shape.safeParse(await answered.json().catch(() => undefined))
  if (answer.success) return answer.data
  throw new Failure(`${connection.url} answers, but not as Signalbox of this version does`)
}

/** An answer that is not an error, its body still to be read. */
export async function open(connection: Connection, path: string, question: Question): Promise<Response> {
  const { url, token, tokenSource } = connection
  const { method = 'GET', body, headers, signal } = question
  const answered = await fetch(new URL(`/api/v1${path}`, url), {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'error', // the token must not follow
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    throw new Unreachable(whyNot(url, error))
  })
  if (answered.ok) return answered
  const told = ErrorAnswer.safeParse(await answered.json().catch(() => undefined))
  const refusal = told.success ? told.data.error : undefined
  if (answered.status === 401)
    throw new Failure(`The token from ${tokenSource} is not valid at ${url}`, 1, refusal)
  if (answered.status >= 500)
    throw new Unreachable(refusal ? inertLine(refusal.message) : statusOnly(url, answered), 1, refusal)
  throw new Failure(refusal ? inertLine(refusal.message) : statusOnly(url, answered), 1, refusal)
}

/** Nothing answered, or only that it cannot answer now: it may be worth trying again. */
export class Unreachable extends Failure {}

const statusOnly = (url: string, { status }: Response) => `${url} answered with status ${status}`

function whyNot(url: string, error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ECONNREFUSED') return `${notRunning} (nothing answers at ${url})`
  if (error instanceof Error && error.name === 'TimeoutError') return `${url} did not answer within 30 s`
  return `${url} cannot be reached: ${inertLine(cause instanceof Error ? cause.message : String(error))}`
}
