import { OpenAPIHono } from '@hono/zod-openapi'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Principal } from '#contract/access.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { DatabasePool } from '#db/pool.ts'
import type { LiveSettings } from '#db/live-settings.ts'
import type { LiveTerminals } from '#db/live-terminals.ts'
import { Problem } from '#domain/problem.ts'
import { issuesIn, misfitWords } from '#lib/misfit-words.ts'
import type { StreamReader } from '#events/streams.ts'
import type { Doorkeeper } from './doorkeeper.ts'

/** What a request carries from the doors to its handler. */
export interface Env {
  Variables: {
    requestId: string
    log: Logger
    principal: Principal
    /** When the right to be here expires, if it does. */
    until?: Date
  }
}

/** What every resource is built from. */
export interface Parts {
  pool: DatabasePool
  streams: StreamReader
  settings: LiveSettings
  doorkeeper: Doorkeeper
  /** Where executions wait for their machine. */
  handOver: HandOver
  /** Where terminals serve; without it, pages can only open sockets to web. */
  terminals?: LiveTerminals
  /** Of the home that this web serves. */
  machineId: string
  log: Logger
  version: string
}

/** A Hono router whose every parameter, query, header and body is checked by the shapes of its routes. */
export function newRoom(): OpenAPIHono<Env> {
  return new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (!result.success) throw doesNotFit(result.target, result.error)
    },
  })
}

const placeOf: Record<string, string> = { json: 'body', query: 'query', param: 'path', header: 'header' }

/** A part of a request that is not as its route wants it. */
export function doesNotFit(target: string, error: Pick<z.ZodError, 'issues'>): Problem {
  const place = placeOf[target] ?? target
  const fields = issuesIn(error.issues)
    .slice(0, 20)
    .map((issue) => ({
      field:
        [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])]
          .map(String)
          .join('.') || place,
      reason: misfitWords(issue),
    }))
  const first = fields[0]
  const message = first
    ? `The ${place} does not fit: ${first.field}: ${first.reason}`
    : `The ${place} does not fit`
  return new Problem('does_not_fit', message, { in: place, fields })
}
