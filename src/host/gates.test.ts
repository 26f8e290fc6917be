import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openHostLink } from '#boundaries/host-link.ts'
import type { TakeDial } from '#boundaries/port.ts'
import { HOST_PROTOCOL } from '#contract/host.ts'
import { insideOwner } from '#lib/inside-owner.ts'
import { ask, enclosed, exchange, listening, startOutside } from '../../test/support/gate.ts'
import { openAuditFile } from '#keeper/gate/audit-file.ts'
import { openGate } from '#keeper/gate/open-gate.ts'
import { dialTo } from './dial.ts'
import { openGates } from './gates.ts'

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function openLine(takeDial: TakeDial): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-line-'))
  const log = () => undefined
  const link = await openHostLink({ folder: join(folder, 'l'), owner: insideOwner(), takeDial, log })
  onTestFinished(() => {
    link.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return join(link.socketFolder, 'keeper.sock')
}

test('what connects to a port inside is carried over the line to the gate, and the answer comes back', async () => {
  const outside = await startOutside((request, response) => request.pipe(response))
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-gates-'))
  const audit = openAuditFile(join(folder, 'audit.ndjson'))
  const place = `127.0.0.1:${outside}`
  const forwards = [{ name: 'model', url: `http://${place}`, headers: {} }]
  const spec = { ...enclosed, egress: [place], forwards }
  const log = () => undefined
  const socket = await openLine(openGate({ workspace: () => spec, audit, log }))
  const ports = { egress: await freePort(), forward: await freePort() }
  const gates = await openGates((purpose) => dialTo(socket)(purpose), ports)
  onTestFinished(() => {
    gates.close()
    audit.close()
    rmSync(folder, { recursive: true, force: true })
  })
  expect(gates.troubles).toEqual([])
  const hello = JSON.stringify({ protocol: HOST_PROTOCOL, purpose: 'forward' })
  const atOnce = connect(socket)
  atOnce.write(`${hello}\nPOST /model/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`)
  let heard = ''
  for await (const piece of atOnce) heard += piece
  expect(heard).toMatch(/^HTTP\/1\.1 200 [^]*hello/)
  const large = 'x'.repeat(3_000_000)
  const viaForward = await ask(ports.forward, { method: 'POST', path: '/model/' }, large)
  expect(viaForward.text).toHaveLength(large.length)
  const viaProxy = await ask(ports.egress, { method: 'POST', path: `http://${place}/` }, large)
  expect(viaProxy.text).toHaveLength(large.length)
  const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello'
  const tunnelled = await exchange(ports.egress, `CONNECT ${place} HTTP/1.1\r\nHost: x\r\n\r\n${post}`)
  expect(tunnelled).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 200 [^]*hello/)
})

test('whoever has finished speaking inside still hears the answer', async () => {
  const socket = await openLine((_, connection) => connection.pipe(connection))
  const ports = { egress: await freePort(), forward: await freePort() }
  const gates = await openGates((purpose) => dialTo(socket)(purpose), ports)
  onTestFinished(() => gates.close())
  const large = 'x'.repeat(3_000_000)
  const speaker = connect({ port: ports.egress, host: '127.0.0.1', allowHalfOpen: true })
  speaker.end(large)
  let heard = 0
  for await (const piece of speaker) heard += piece.length
  expect(heard).toBe(large.length)
})

test('a port that is taken is told, and the other one is there', async () => {
  const taken = await listening(createServer())
  const ports = { egress: taken, forward: await freePort() }
  const gates = await openGates(() => Promise.reject(new Error('not dialled')), ports)
  onTestFinished(() => gates.close())
  expect(gates.troubles).toEqual([expect.stringMatching(`Port ${taken} cannot be used.*EADDRINUSE`)])
  expect(await exchange(ports.forward, 'GET / HTTP/1.1\r\n\r\n')).toBe('')
})
