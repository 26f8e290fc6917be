import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 32 random bytes that nobody guesses. The prefix tells people, logs and secret scanners what they have found. */
export const newSecret = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`

/** What is kept of a secret. Plain SHA-256 is enough for 32 random bytes: there is no dictionary of them. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export const sameHash = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
