import type { Socket } from 'socket.io'
import { Knock } from '#contract/gateway.ts'
import { checkOneScope, checkPerson } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { admittedFrom } from '../auth.ts'
import { addressOf } from '../failures.ts'
import type { Right } from '../held-open.ts'
import { doesNotFit } from '../room.ts'
import type { Parts } from '../room.ts'

type Handshake = Socket['handshake']

/** With what somebody comes, wherever it stands. */
export function readKnock({ auth, query }: Pick<Handshake, 'auth' | 'query'>): Knock {
  const given: Record<string, unknown> = auth
  if (given['token'] === undefined || given['token'] === null)
    throw new Problem('unauthenticated', 'A token is needed: give it as auth.token when you connect')
  const { data, error } = Knock.safeParse({
    token: given['token'],
    sessionId: given['sessionId'] ?? named(query['sessionId']),
    after: given['after'] ?? undefined,
    model: given['model'] ?? named(query['model']),
  })
  if (data) return data
  throw doesNotFit('handshake', error)
}

/** Clients write what they do not have into an address as these. */
const named = (value: string | string[] | undefined): string | string[] | undefined =>
  value === '' || value === 'undefined' || value === 'null' ? undefined : value

/** Lets in people who may chat. An agent talks to models through nobody's mouth but its own. */
export async function letIn(
  parts: Pick<Parts, 'doorkeeper' | 'settings'>,
  { headers, address }: Pick<Handshake, 'headers' | 'address'>,
  token: string,
): Promise<Right> {
  const forwarded = [headers['x-forwarded-for']].flat().join(',')
  const from = addressOf(address, forwarded, parts.settings.current().trustProxy)
  const credential = await admittedFrom(parts, from, parts.doorkeeper.admit(token))
  const { principal } = credential
  checkPerson(principal)
  checkOneScope(principal, ['chat', 'run'])
  return { token, principal, until: credential.kind === 'token' ? undefined : credential.expiresAt }
}
