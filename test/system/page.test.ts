import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

let box: Signalbox
beforeAll(async () => {
  box = await startSignalbox()
})
afterAll(async () => {
  await box.stop()
})

const get = async (path: string) => {
  const response = await fetch(box.url + path)
  return [response.status, response.headers.get('content-type')?.split(';')[0]]
}

test('every page of the contract is there for whoever asks, and what is no page is not', async () => {
  for (const page of ['/', '/board', '/inbox', '/sessions', '/sessions/some-id', '/settings'])
    expect([page, ...(await get(page))]).toEqual([page, 200, 'text/html'])
  for (const nothing of [
    '/assets/nothing.js',
    '/nothing.js',
    '/.built-from',
    '/../package.json',
    '/%2e%2e/package.json',
  ])
    expect([nothing, (await get(nothing))[0]]).toEqual([nothing, 404])
})

test('the OpenAPI document names the version that runs, and only answers that can come', async () => {
  const { body: document } = await box.call('GET', '/openapi.json')
  const { body: health } = await box.call('GET', '/health')
  expect(document.info.version).toBe(health.data.version)
  expect(Object.keys(document.paths['/health'].get.responses)).toEqual(['200', '503'])
  expect(Object.keys(document.paths['/tasks'].post.responses)).toEqual(
    expect.arrayContaining(['201', '400', '413', '422']),
  )
  expect(Object.keys(document.paths['/tasks'].get.responses)).not.toContain('409')
})

test('a request that does not arrive is not waited for', async () => {
  const socket = connect(Number(new URL(box.url).port), '127.0.0.1')
  socket.write(
    `POST /api/v1/auth/session HTTP/1.1\r\nhost: ${new URL(box.url).host}\r\ncontent-length: 200\r\n\r\n{`,
  )
  const said = await new Promise<string>((resolve) => {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    socket.on('close', () => resolve(text))
  })
  expect(said).toContain('408')
}, 40_000)
