import { pino } from 'pino'
import { z } from 'zod'
import { CreatedUser, SessionKey, Ticket } from '#contract/access.ts'
import type { Scope } from '#contract/access.ts'
import type { DatabasePool } from '#db/pool.ts'
import { tickets, tokens } from '#db/schema.ts'
import { registerOwnerToken } from '#flows/register-owner-token.ts'
import { authRoutes, loginRoutes } from '#http/auth-session.ts'
import { authenticate, authenticateByTicket, requireScope } from '#http/auth.ts'
import { openDoorkeeper } from '#http/doorkeeper.ts'
import { openFailures } from '#http/failures.ts'
import { jsonBody } from '#http/request-body.ts'
import { usersRoutes } from '#http/users.ts'
import { newSecret } from '#lib/secret.ts'
import { bareApp } from './bare-app.ts'
import { freshPool } from './postgres.ts'

export const jwtSecret = 'a secret of thirty-two bytes....'
export const home = 'home-1'

export interface AuthOptions {
  /** Failed attempts before 429. */
  burst?: number
  trustProxy?: boolean
}

/** The doors as the product puts them up, with two rooms behind them, on a database of its own. */
export async function openAuth() {
  const pool = await freshPool()
  const ownerToken = newSecret('test')
  await pool.transaction((tx) => registerOwnerToken(tx, home, ownerToken))
  return { pool, ownerToken, ...callers(pool, ownerToken, {}) }
}

/** The same doors once more, with other settings. */
export function callers(pool: DatabasePool, ownerToken: string, options: AuthOptions) {
  const app = appOn(pool, options)

  async function ask(
    method: string,
    path: string,
    token?: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) {
    return app.request(path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }
  const status = async (method: string, path: string, token?: string, body?: unknown) =>
    (await ask(method, path, token, body)).status

  return {
    ask,
    status,
    addUser: async (name: string, scopes?: Scope[]) =>
      dataOf(await ask('POST', '/users', ownerToken, { name, ...(scopes && { scopes }) }), CreatedUser),
    login: async (token: string) => dataOf(await ask('POST', '/auth/session', token), SessionKey),
    ticketFor: async (token: string) => dataOf(await ask('POST', '/auth/ticket', token), Ticket),
    count: (table: 'tokens' | 'tickets') => pool.db.$count(table === 'tokens' ? tokens : tickets),
  }
}

function appOn(pool: DatabasePool, { burst = 1000, trustProxy = false }: AuthOptions) {
  const doorkeeper = openDoorkeeper(pool.db, { jwtSecret }, openFailures({ burst, perMinute: 1 }))
  const parts = { pool, doorkeeper, settings: { current: () => ({ trustProxy }) } }
  return bareApp()
    .use(async (c, next) => {
      c.set('log', pino({ level: 'silent' }))
      await next()
    })
    .route('/', loginRoutes(parts))
    .use('/sse/*', authenticateByTicket(parts))
    .use(authenticate(parts))
    .use(jsonBody())
    .route('/', authRoutes(parts))
    .route('/', usersRoutes(parts))
    .get('/sse/board', requireScope('board'), (c) => c.text(c.get('principal').id))
    .get('/tools', requireScope('tools', 'code'), (c) => c.text('hammer'))
}

export async function dataOf<Data>(answer: Response, shape: z.ZodType<Data>): Promise<Data> {
  const { data } = z.object({ data: z.unknown() }).parse(await answer.json())
  return shape.parse(data)
}

const Refusal = z.object({
  error: z.object({ code: z.string(), message: z.string(), context: z.unknown().optional() }),
})
export const errorOf = async (answer: Response) => Refusal.parse(await answer.json()).error
