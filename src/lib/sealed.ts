import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { HomeRefused, readOrCreateSecretsKey } from './home.ts'

/** Turns values into bytes that only this machine can read, and only where they were meant to be. */
export interface Seal {
  /** The context (`source:ID`) is not in the bytes, but must be the same to open them: they cannot be moved to another row. */
  seal: (value: unknown, context: string) => Buffer
  /** Throws SealBroken. */
  unseal: (bytes: Buffer, context: string) => unknown
}

/** What was kept cannot be read; the message says why and what to do. */
export class SealBroken extends Error {}

// One byte says how the rest is made, so that another way can be read beside this one.
const version = 1
const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32

/** AES-256-GCM with the key in the home, which is made once. */
export function openSeal(home: string): Seal {
  const key = Buffer.from(readOrCreateSecretsKey(home), 'base64url')
  if (key.length !== keyBytes)
    throw new HomeRefused(
      `${join(home, 'secrets-key')} is not a key of ${keyBytes} bytes. Put the right one back; without it the kept secrets cannot be read.`,
    )
  return {
    seal(value, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      cipher.setAAD(boundTo(context))
      const text = JSON.stringify(value)
      return Buffer.concat([
        Buffer.of(version),
        nonce,
        cipher.update(text, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ])
    },
    unseal(bytes, context) {
      if (bytes.length < 1 + nonceBytes + tagBytes || bytes[0] !== version)
        throw new SealBroken('A kept secret is damaged, or was kept by a newer Signalbox. Give it again.')
      const nonce = bytes.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(boundTo(context))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      let text
      try {
        text =
          decipher.update(bytes.subarray(1 + nonceBytes, -tagBytes), undefined, 'utf8') +
          decipher.final('utf8')
      } catch {
        throw new SealBroken(
          'A kept secret cannot be opened with the secrets-key of this home. Put back the key that it was kept with, or give the secret again.',
        )
      }
      return JSON.parse(text) as unknown
    },
  }
}

const boundTo = (context: string) => Buffer.from(`signalbox:${version}:${context}`)
