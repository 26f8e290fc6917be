import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server'
import type { Principal } from '#contract/access.ts'
import type { Caller } from '#tools/port.ts'

/** Who sent a request, found out for that request. */
export interface Asker {
  principal: Principal
  caller: Caller
  /** The same for the same one: an agent in one session is another than in the next. */
  key: string
}

export const keyOf = ({ id, agent }: Principal): string => JSON.stringify([id, agent?.sessionId ?? null])

/** Takes an asker along with a request, past the SDK. There is no token here: web has looked at it. */
export const withAsker = (asker: Asker): AuthInfo => ({
  token: '',
  clientId: asker.principal.id,
  scopes: asker.principal.scopes,
  extra: { asker },
})

export const askerOf = (ctx: ServerContext): Asker => askerIn(ctx.http?.authInfo)

export function askerIn(authInfo: AuthInfo | undefined): Asker {
  const asker = authInfo?.extra?.['asker']
  if (!asker) throw new Error('A request came in without anybody who asks')
  return asker as Asker
}
