import type { z } from 'zod'
import { Id } from '#contract/text.ts'
import { ask, readAll } from './client.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'

const LEAST = 6

interface Kind<Thing> {
  path: string
  shape: z.ZodType<Thing>
  noun: string
  howToFind: string
}

/** Something by its id, or by as much of its beginning or end as no other has. */
export async function findById<Thing extends { id: string }>(
  connection: Connection,
  wanted: string,
  { path, shape, noun, howToFind }: Kind<Thing>,
): Promise<Thing> {
  const id = wanted.toLowerCase()
  if (Id.safeParse(id).success) return ask(connection, `${path}/${id}`, shape)
  if (!/^[\da-f-]+$/.test(id)) throw new Failure(`"${wanted}" is not an id of an ${noun}. ${howToFind}`)
  if (id.length < LEAST)
    throw new Failure(`"${wanted}" is too short: give at least ${LEAST} characters. ${howToFind}`)
  const all = await readAll(connection, path, {}, shape)
  const found = all.filter((one) => one.id.endsWith(id) || one.id.startsWith(id))
  const [first, ...others] = found
  if (!first) throw new Failure(`No ${noun} has an id that begins or ends with ${id}. ${howToFind}`)
  if (others.length === 0) return first
  const ids = found.slice(0, 5).map((one) => `  ${one.id}`)
  throw new Failure(`${found.length} ${noun}s fit ${id}; give more of the id:\n${ids.join('\n')}`)
}
