import { expect, it } from 'vitest'
import { terminalHost } from './terminal-host.ts'

it.each([
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['::1', undefined, '::1'],
  ['0.0.0.0', undefined, '127.0.0.1'],
  ['::', undefined, '127.0.0.1'],
  ['192.168.1.5', undefined, '127.0.0.1'],
  ['0.0.0.0', 'wss://box.example.com/terminal', '0.0.0.0'],
])('with HOST %s and TERMINAL_URL %s it is %s', (host, url, expected) => {
  expect(terminalHost(host, url)).toBe(expected)
})
