import { createHash } from 'node:crypto'

/** The same question of the same execution has the same id, however often it is copied. A UUID of our own making (v8). */
export function approvalIdOf(executionId: string, requestId: string): string {
  const hash = createHash('sha256').update(`${executionId}\0${requestId}`).digest()
  hash[6] = (hash[6]! & 0x0f) | 0x80
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
