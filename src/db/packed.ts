import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import type { Database, DatabasePool } from './pool.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

// It is done once, when nobody waits for it, and read often: a high level costs nothing where it is read.
const options = { params: { [constants.ZSTD_c_compressionLevel]: 12 } }
/** What is smaller is not worth it. */
const least = 1_024
const mostAtOnce = 100
/** What models and their tools say at length. Whatever is looked for by its contents stays as it is. */
const types = [
  'text-delta',
  'reasoning-delta',
  'reasoning-end',
  'tool-input-delta',
  'tool-input-available',
  'tool-output-available',
  'tool-output-error',
]

/** Where the payload of a row is: in `packed` when there is one. Readers select both, and hand the rows to `unpack`. */
interface PackedRow {
  payload: string
  packed?: Buffer | null
}

/** What a row takes in memory, packed or not, for statements that look at sizes. */
export const wholeSize = 'coalesce(packed_from, size)'

/** The rows as if nothing had ever been packed. */
export async function unpack<Row extends { payload: string }>(rows: (Row & PackedRow)[]): Promise<Row[]> {
  for (const row of rows) {
    if (row.packed) row.payload = (await decompress(row.packed)).toString('utf8')
    delete row.packed
  }
  return rows
}

/** Where the events of an execution that has ended lie. */
export interface PackPlace {
  sessionId: string
  firstSeq: number
  lastSeq: number
}

/**
 * Keeps what was said at length compressed, from now on; everybody who reads it gets it as it was. It can be cut short anywhere, and
 * done again. Answers with how many events that were.
 */
export async function packEvents(pool: Pick<DatabasePool, 'db'>, place: PackPlace): Promise<number> {
  let done = 0
  for (let after = place.firstSeq - 1; ;) {
    const { rows } = await pool.db.$client.query<{ seq: number; payload: string }>(
      `select seq, payload::text as payload from events
       where stream_id = $1 and seq > $2 and seq <= $3 and size >= ${least} and packed is null and type = any($4)
       order by seq limit ${mostAtOnce}`,
      [place.sessionId, after, place.lastSeq, types],
    )
    for (const { seq, payload } of rows) {
      const packed = await compress(payload, options)
      await pool.db.$client.query(
        `update events set packed = $3, packed_from = size, payload = 'null'
         where stream_id = $1 and seq = $2 and packed is null`,
        [place.sessionId, seq, packed],
      )
      done += 1
    }
    const last = rows.at(-1)
    if (!last) return done
    after = last.seq
  }
}

export async function chatsEndedSince(db: Database, since: Date): Promise<string[]> {
  const { rows } = await db.$client.query<{ id: string }>(
    `select id from executions where queue = 'chat' and ended_at >= $1 order by ended_at`,
    [since],
  )
  return rows.map(({ id }) => id)
}
