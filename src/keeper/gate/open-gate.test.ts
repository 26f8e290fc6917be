import { connect, createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { ask, exchange, listening, startGate } from '../../../test/support/gate.ts'
import { openAuditFile } from './audit-file.ts'

const connectTo = (place: string) => `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n`
const limits = { perSecond: 100_000 }
const pace = { windowMs: 600_000, mostPlaces: 50 }

/** Twenty at a time. */
async function often(times: number, attempt: (time: number) => Promise<unknown>): Promise<void> {
  for (let begun = 0; begun < times; begun += 20)
    await Promise.all(Array.from({ length: Math.min(20, times - begun) }, (_, more) => attempt(begun + more)))
}

test('a place that is tried again and again is in the book at once, and once more with how often', async () => {
  const { port, audit, closeBook } = await startGate('egress', { egress: 'none' }, { limits, pace })
  await often(300, async () => {
    expect(await exchange(port, connectTo('example.com:443'))).toMatch(/^HTTP\/1\.1 403 [^]*egress is none/)
  })
  expect(audit()).toMatchObject([{ subject: 'example.com:443', outcome: 'refused' }])
  expect(audit()[0]?.detail).not.toHaveProperty('times')
  closeBook()
  expect(audit()).toMatchObject([
    { offset: 1 },
    { offset: 2, subject: 'example.com:443', outcome: 'refused', detail: { times: 299, method: 'CONNECT' } },
  ])
})

test('whoever tries one place after the other does not fill the book', async () => {
  const { port, audit, closeBook } = await startGate('egress', { egress: 'none' }, { limits, pace })
  await often(300, async (time) => {
    expect(await exchange(port, connectTo(`h${time}.example.com:443`))).toMatch(/^HTTP\/1\.1 403 /)
  })
  expect(audit()).toHaveLength(50)
  closeBook()
  expect(audit().slice(50)).toMatchObject([
    { subject: 'other places', outcome: 'refused', detail: { times: 250 } },
  ])
})

test('what a forward does not let through is counted too', async () => {
  const forwards = [{ name: 'model', url: 'https://api.example.com/v1', headers: {} }]
  const { port, audit, closeBook } = await startGate(
    'forward',
    { egress: 'none', forwards },
    { limits, pace },
  )
  await often(40, async () => expect((await ask(port, { path: '/model/x' })).status).toBe(403))
  closeBook()
  expect(audit()).toMatchObject([
    { subject: 'api.example.com:443', outcome: 'refused' },
    { subject: 'api.example.com:443', detail: { forward: 'model', times: 39 } },
  ])
})

test.each(['egress', 'forward'] as const)(
  'a book that is full does not fill the log (%s)',
  async (purpose) => {
    const audit = openAuditFile('/dev/full')
    const forwards = [{ name: 'model', url: 'https://api.example.com/v1', headers: {} }]
    const { port, log } = await startGate(purpose, { egress: 'none', forwards }, { limits, audit })
    const path = purpose === 'egress' ? 'http://example.com/' : '/model/x'
    await often(60, async () => expect((await ask(port, { path })).status).toBe(503))
    expect(log).toHaveLength(20)
  },
)

test('of many new connections so many are let through in a second, and the others wait', async () => {
  const echo = await listening(createServer((socket) => socket.pipe(socket)))
  const { port, audit } = await startGate(
    'egress',
    { egress: [`127.0.0.1:${echo}`] },
    { limits: { perSecond: 20 } },
  )
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.write(connectTo(`127.0.0.1:${echo}`))
      const [said] = await once(socket, 'data')
      expect(String(said)).toMatch(/^HTTP\/1\.1 200 /)
      socket.destroy()
    }),
  )
  // Twenty at once, and forty in their turn.
  expect(performance.now() - begun).toBeGreaterThan(1_900)
  const opened = audit().filter(({ detail }) => detail['state'] === 'opened')
  expect(opened).toHaveLength(60)
  expect(opened.every(({ detail }) => !('times' in detail))).toBe(true)
})
