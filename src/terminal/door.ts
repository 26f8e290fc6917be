import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TerminalGrant } from '#contract/internal.ts'
import type { Database } from '#db/pool.ts'
import { livingTokens } from '#db/terminals.ts'
import { Problem } from '#domain/problem.ts'
import { readTerminalToken, useTerminalToken } from '#flows/terminal-token.ts'
import { newId } from '#lib/id.ts'
import { lastWords } from '#lib/last-words.ts'
import { placeGone } from './place-gone.ts'

interface Needs {
  db: Database
  machineId: string
  /** Throws unless it is by a name of ours that we are called. */
  checkHost: (host: string | undefined) => void
}

/** Longer than any that we make. */
const longestToken = 4_096

/**
 * Says what somebody may see who brings a token in the address of a socket. Throws Problems. A page has no token but the one that it asked for,
 * and uses it from where it asked.
 */
export async function admit(
  { db, machineId, checkHost }: Needs,
  request: IncomingMessage,
): Promise<TerminalGrant> {
  checkHost(request.headers.host)
  const given = new URL(request.url ?? '/', 'http://terminal').searchParams.getAll('token')
  const [token = ''] = given
  if (given.length !== 1 || token.length > longestToken)
    throw new Problem(
      'unauthenticated',
      'A token is needed, as ?token=…: POST /api/v1/terminal/token gives one',
    )
  const read = await readTerminalToken(db, machineId, token)
  if (request.headers.origin !== read.grant.origin)
    throw new Problem('origin_not_allowed', 'This token was given to another page, and is not for this one')
  await useTerminalToken(db, read)
  if (!(await livingTokens(db, [read.grant.tokenId])).has(read.grant.tokenId))
    throw new Problem(
      'unauthenticated',
      'Whoever asked for this token may not be here any more: log in again',
    )
  const gone = await placeGone(db, read.grant)
  if (gone !== undefined) throw new Problem('terminal_gone', gone)
  return read.grant
}

/** Answers somebody who wanted a socket with why there is none. */
export function refuse(
  socket: Duplex,
  status: number,
  { code, message }: Pick<Problem, 'code' | 'message'>,
): void {
  const body = JSON.stringify({ error: { code, message, requestId: newId() } })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  lastWords(socket, `${head.join('\r\n')}\r\n\r\n${body}`)
}
