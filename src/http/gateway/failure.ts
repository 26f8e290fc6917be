import type { Logger } from 'pino'
import { isDatabaseAway } from '#db/failure.ts'
import { Problem } from '#domain/problem.ts'

const away = 'The database is away or busy for the moment. Nothing you were told is saved is lost; try again.'

/** What a client is told of something that was not done. What is our fault is in our log. */
export function asProblem(error: unknown, log: Pick<Logger, 'error'>): { code: string; message: string } {
  if (error instanceof Problem) return error
  if (isDatabaseAway(error)) return { code: 'database_unavailable', message: away }
  log.error({ err: error }, 'a socket of chat failed on our side')
  return { code: 'internal', message: 'Something went wrong on our side. The log has it' }
}
