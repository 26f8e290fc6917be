// How people let us in at upstreams, as the worker sees it (OAuth 2.1).

/** What is to be known of a source whose `auth.type` is `oauth`. */
export interface GuardedSource {
  id: string
  name: string
  url: string
  scopes: readonly string[]
  /** Where the owner has registered us by hand. */
  clientId?: string | undefined
  clientSecret?: string | undefined
}

/** Keeps what upstreams gave us, encrypted; what is in it is nobody else's business. */
export interface GrantStore {
  read(sourceId: string, principalId: string): Promise<unknown>
  /** Kept when it resolves: nothing is used before. */
  write(sourceId: string, principalId: string, grant: unknown, expiresAt: Date | null): Promise<void>
  drop(sourceId: string, principalId: string): Promise<void>
  /** Somebody goes to an upstream, and comes back with the state. */
  depart(state: string, journey: Journey, lifeMs: number): Promise<Date>
  /** Whoever comes back does so once, in time, or not at all. */
  arrive(state: string): Promise<Journey | undefined>
}

export interface Journey {
  sourceId: string
  principalId: string
  luggage: unknown
}

export interface Logins {
  /** Where this person has to go. Rejects with LoginFailed. */
  authorize(
    source: GuardedSource,
    principalId: string,
    back: WayBack,
  ): Promise<{ authorizationUrl: string; expiresAt: Date }>
  /** They are back, with what the address had. Rejects with LoginFailed, and with NotTheirs for whoever did not begin it. */
  authorized(
    principalId: string,
    state: string,
    parameters: Readonly<Record<string, string>>,
    find: (sourceId: string) => Promise<GuardedSource | undefined>,
  ): Promise<GuardedSource>
  /** What was given is dropped here, and there too if the upstream takes it back. */
  revoke(source: GuardedSource, principalId: string): Promise<void>
}

export interface WayBack {
  redirectUrl: string
  /** Where issuers can read who we are, if they can reach us. */
  clientMetadataUrl?: string | undefined
}

/** Nobody was let in. The message is for people: what happened, why, what to do. */
export class LoginFailed extends Error {
  override name = 'LoginFailed'
}

/** It was begun by somebody else, who would get what is this person's. */
export class NotTheirs extends LoginFailed {
  override name = 'NotTheirs'
}
