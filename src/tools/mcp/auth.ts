import type { AuthProvider } from '@modelcontextprotocol/client'

/** The answer that refused us, and whose it was. */
export type Refused = Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0]

/**
 * What opens an upstream for one person; a transport takes it as its `authProvider`. It is always there, also while nobody has let us in:
 * then there is no token, and `onUnauthorized` rejects.
 */
export interface UpstreamAuth extends AuthProvider {
  /** Whose it is: everybody has a connection of their own. */
  readonly principalId: string
  /** Never one that is known to have expired. Rejects with CallFailed `source_unavailable` when a new one cannot be had just now. */
  token(): Promise<string | undefined>
  /** Gets a new token, once for all who ask at the same time. Rejects with CallFailed `source_unauthorized`: somebody has to let us in. */
  onUnauthorized(refused: Refused): Promise<void>
  /**
   * The upstream wants more than it gave (the SDK's InsufficientScopeError, whose `requiredScope` this is): whoever lets us in next is asked
   * for it too. Answers with the sentence for CallFailed `source_unauthorized`.
   */
  needsScope(scope: string | undefined): Promise<string>
  /** They let us in, or took it back: time to connect again. */
  onChange(listener: () => void): () => void
}
