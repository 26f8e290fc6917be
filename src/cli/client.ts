import type { z } from 'zod'
import { ErrorAnswer, many } from '#contract/answer.ts'
import { inertLine } from '#lib/inert-text.ts'
import { notRunning } from './connection.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'

const PAGE_SIZE = 500
const PATIENCE_MS = 30_000

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
    const answer = many(shape).safeParse(await read(connection, `${path}?${search.toString()}`))
    if (!answer.success)
      throw new Failure(`${connection.url} answers, but not as Signalbox of this version does`)
    for (const entry of answer.data.data) found.set(entry.id, entry)
    if (answer.data.data.length === 0 || page * answer.data.meta.pageSize >= answer.data.meta.total) break
  }
  return [...found.values()]
}

async function read({ url, token, tokenSource }: Connection, path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const answered = await fetch(new URL(`/api/v1${path}`, url), {
    headers,
    redirect: 'error', // the token must not follow
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error: unknown) => {
    throw new Failure(whyNot(url, error))
  })
  const body: unknown = await answered.json().catch(() => undefined)
  if (answered.status === 401) throw new Failure(`The token from ${tokenSource} is not valid at ${url}`)
  if (answered.ok) return body
  const told = ErrorAnswer.safeParse(body)
  throw new Failure(
    told.success ? inertLine(told.data.error.message) : `${url} answered with status ${answered.status}`,
  )
}

function whyNot(url: string, error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ECONNREFUSED') return `${notRunning} (nothing answers at ${url})`
  if (error instanceof Error && error.name === 'TimeoutError') return `${url} did not answer within 30 s`
  return `${url} cannot be reached: ${inertLine(cause instanceof Error ? cause.message : String(error))}`
}
