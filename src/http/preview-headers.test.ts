import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { headersForApp, headersForBrowser, previewKeys } from './preview-headers.ts'
import { previewAddress } from './preview-host.ts'

function message(pairs: [string, string][], localPort = 4100): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'localPort', { value: localPort })
  const made = new IncomingMessage(socket)
  made.rawHeaders = pairs.flat()
  for (const [name, value] of pairs) made.headers[name.toLowerCase()] = value
  return made
}

const id = '01890a5d-ac96-774b-bcce-b302099a8057'

it('knows previews by their names alone', () => {
  const of = (host: string, port?: number) => previewAddress(message([['Host', host]], port))
  expect(of(`${id}.localhost:4100`)).toEqual({ workspaceId: id, port: null, host: `${id}.localhost:4100` })
  expect(of(`${id.toUpperCase()}.LocalHost:4100`)).toMatchObject({ workspaceId: id })
  expect(of(`${id}--8000.localhost:4100`)).toMatchObject({ port: 8000 })
  expect(of(`${id}.localhost`, 80)).toMatchObject({ workspaceId: id })
  for (const host of [
    '',
    'localhost:4100',
    `${id}.localhost`,
    `${id}.localhost:4101`,
    `${id}.localhost.:4100`,
    `${id}.localhost:4100.evil.example`,
    `a.${id}.localhost:4100`,
    `${id}--0.localhost:4100`,
    `${id}--123456.localhost:4100`,
    `${id}-.localhost:4100`,
    `${id}.localhost:4100,localhost:4100`,
    `${id.slice(1)}.localhost:4100`,
  ])
    expect(of(host)).toBeUndefined()
})

it('finds our cookie wherever it stands, and no other', () => {
  const keys = (cookie: string) => previewKeys(message([['Cookie', cookie]]))
  expect(
    keys('a=1; signalbox_preview=x;signalbox_preview =y; xsignalbox_preview=z; signalbox_previewx=w'),
  ).toEqual(['x', 'y'])
  expect(keys(Array.from({ length: 50 }, (_, at) => `signalbox_preview=${at}`).join(';'))).toHaveLength(5)
})

it('passes on what is for the other side, as it was written', () => {
  const request = message([
    ['Host', 'x'],
    ['X-One', '1'],
    ['x-one', '2'],
    ['Connection', 'keep-alive, X-Secret'],
    ['X-Secret', 'y'],
    ['Keep-Alive', 'timeout=1'],
    ['Upgrade', 'h2c'],
    ['Transfer-Encoding', 'chunked'],
    ['Cookie', 'signalbox_preview=k'],
    ['Authorization', 'Bearer ours'],
  ])
  const rest = [
    ['Host', 'x'],
    ['X-One', '1'],
    ['x-one', '2'],
  ]
  expect(headersForApp(request, true)).toEqual([...rest, ['Transfer-Encoding', 'chunked']])
  expect(headersForApp(request, false)).toContainEqual(['Authorization', 'Bearer ours'])
})

it('leaves the app its cookies, for its own host', () => {
  const cookies = (...values: string[]) =>
    headersForBrowser(message(values.map((value) => ['Set-Cookie', value]))).map(([, value]) => value)
  expect(
    cookies('a=domain; DOMAIN=.localhost;Path=/', 'b; domain', ' signalbox_preview = x', 'c=1; Domain = x'),
  ).toEqual(['a=domain;Path=/', 'b', 'c=1'])
})
