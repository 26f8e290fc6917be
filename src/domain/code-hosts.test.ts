import { expect, test } from 'vitest'
import { targetOf } from '#lib/target.ts'
import type { CodeGrants } from './code-capabilities.ts'
import { mayAskFor, mayFollow } from './code-hosts.ts'

const network = (hosts: string[], ports: number[] = []): CodeGrants['network'] => ({
  hosts,
  ports,
  perSecond: 1,
  maxBytes: 1,
  timeoutMs: 1,
})
const asks = (hosts: string[], place: string, ports: number[] = []) =>
  mayAskFor(network(hosts, ports), targetOf(place)!)

test('hosts are those that are named, below a star, or all, in every spelling', () => {
  const hosts = ['example.com', '*.example.org', 'bücher.example']
  for (const place of [
    'example.com:443',
    'EXAMPLE.com.:80',
    'a.example.org:443',
    'a.b.example.org:1',
    'BÜCHER.example:443',
    'xn--bcher-kva.example:443',
  ])
    expect(asks(hosts, place)).toBe(true)
  for (const place of [
    'www.example.com:443',
    'example.org:443',
    'badexample.org:443',
    'example.com.evil.example:443',
  ])
    expect(asks(hosts, place)).toBe(false)
  expect(asks(['*'], 'anything.example:443')).toBe(true)
  expect(asks([], 'example.com:443')).toBe(false)
})

test('ports are those of the entry, or of the list, or any', () => {
  expect(asks(['example.com'], 'example.com:8443')).toBe(true)
  expect(asks(['example.com'], 'example.com:8443', [443])).toBe(false)
  expect(asks(['example.com:8443'], 'example.com:8443', [443])).toBe(true)
  expect(asks(['example.com:8443'], 'example.com:443', [443])).toBe(false)
  expect(asks(['*.example.com:8443'], 'a.example.com:443')).toBe(false)
})

type Reach = 'here' | 'private' | 'public'
const follows = (hosts: string[], place: string, address: string, reach: Reach) =>
  mayFollow(network(hosts), targetOf(place)!, { address, reach })

test('a name is followed to public addresses alone, unless the address itself is named', () => {
  expect(follows(['example.com'], 'example.com:443', '1.1.1.1', 'public')).toBe(true)
  for (const hosts of [['example.com'], ['*'], ['*.com'], ['*.internal', 'example.com']]) {
    expect(follows(hosts, 'example.com:443', '10.0.0.1', 'private')).toBe(false)
    expect(follows(hosts, 'example.com:443', '127.0.0.1', 'here')).toBe(false)
    expect(follows(hosts, 'a.internal:443', '10.0.0.1', 'private')).toBe(false)
  }
  expect(follows(['example.com', '10.0.0.1'], 'example.com:443', '10.0.0.1', 'private')).toBe(true)
  expect(follows(['example.com', '10.0.0.1:80'], 'example.com:443', '10.0.0.1', 'private')).toBe(false)
  expect(follows(['127.0.0.1'], '127.0.0.1:80', '127.0.0.1', 'here')).toBe(true)
  expect(follows(['127.0.0.1:81'], '127.0.0.1:80', '127.0.0.1', 'here')).toBe(false)
  expect(follows(['[fd00::1]'], '[fd00:0::1]:80', 'fd00::1', 'private')).toBe(true)
  expect(follows(['10.0.0.1'], 'example.com:80', '::ffff:10.0.0.1', 'private')).toBe(false)
  expect(follows(['example.com'], 'example.com:80', 'fe80::1%eth0', 'here')).toBe(false)
})

test('a name that nobody outside can answer for is followed into our networks, and never to what is the machine’s', () => {
  expect(follows(['db.internal'], 'db.internal:443', '10.0.0.1', 'private')).toBe(true)
  expect(follows(['nas'], 'nas:443', 'fd00::1', 'private')).toBe(true)
  expect(follows(['*.nas'], 'nas:443', '10.0.0.1', 'private')).toBe(false)
  expect(follows(['db.internal'], 'db.internal:443', '127.0.0.1', 'here')).toBe(false)
  expect(
    follows(['metadata.google.internal'], 'metadata.google.internal:80', '169.254.169.254', 'here'),
  ).toBe(false)
  expect(follows(['localhost'], 'localhost:80', '127.0.0.1', 'here')).toBe(true)
  expect(follows(['localhost'], 'localhost:80', '::1', 'here')).toBe(true)
  expect(follows(['localhost'], 'localhost:80', '169.254.169.254', 'here')).toBe(false)
  expect(follows(['app.localhost:80'], 'app.localhost:80', '127.0.0.1', 'here')).toBe(true)
})
