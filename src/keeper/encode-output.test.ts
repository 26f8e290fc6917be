import fc from 'fast-check'
import { expect, it } from 'vitest'
import { outputEncoder } from './encode-output.ts'

it('writes what JSON.stringify would', () => {
  const encode = outputEncoder()
  const at = new Date().toISOString()
  fc.assert(
    fc.property(fc.nat(), fc.uint8Array({ maxLength: 1000 }), (offset, bytes) => {
      const payload = { stream: 'stderr', chunk: Buffer.from(bytes).toString('base64') }
      expect(encode({ offset, at }, 'stderr', Buffer.from(bytes)).toString()).toBe(
        `${JSON.stringify({ offset, at, type: 'data-terminal', payload })}\n`,
      )
    }),
  )
})
