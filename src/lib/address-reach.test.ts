import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { reachOf } from './address-reach.ts'

test.each([
  ['127.0.0.1', 'here'],
  ['127.255.255.254', 'here'],
  ['0.0.0.0', 'here'],
  ['169.254.169.254', 'here'],
  ['224.0.0.1', 'here'],
  ['255.255.255.255', 'here'],
  ['::', 'here'],
  ['::1', 'here'],
  ['0:0:0:0:0:0:0:1', 'here'],
  ['::ffff:127.0.0.1', 'here'],
  ['::ffff:7f00:1', 'here'],
  ['::ffff:a9fe:a9fe', 'here'],
  ['::127.0.0.1', 'here'],
  ['64:ff9b::7f00:1', 'here'],
  ['64:ff9b::a9fe:a9fe', 'here'],
  ['64:ff9b::', 'here'],
  ['::ffff:0:7f00:1', 'here'],
  ['::ffff:0:127.0.0.1', 'here'],
  ['::ffff:0:0:1', 'here'],
  ['fe80::1', 'here'],
  ['fe80::1%eth0', 'here'],
  ['ff02::1', 'here'],
  ['10.1.2.3', 'private'],
  ['100.64.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['198.18.0.1', 'private'],
  ['::ffff:10.0.0.1', 'private'],
  ['64:ff9b::a00:1', 'private'],
  ['64:ff9b:1::1', 'private'],
  ['::ffff:0:a00:1', 'private'],
  ['fd00::1', 'private'],
  ['2002:7f00:1::', 'private'],
  ['2002:a00:1::1', 'private'],
  ['3fff::1', 'private'],
  ['3fff:fff:ffff::1', 'private'],
  ['5f00::1', 'private'],
  ['2001:0:1::1', 'private'],
  ['172.32.0.1', 'public'],
  ['1.1.1.1', 'public'],
  ['::ffff:1.1.1.1', 'public'],
  ['::ffff:0:101:101', 'public'],
  ['64:ff9b::101:101', 'public'],
  ['2606:4700:4700::1111', 'public'],
])('%s leads %s', (address, reach) => {
  expect(reachOf(address)).toBe(reach)
})

test('the addresses of this machine are this machine, however public they look', () => {
  for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    expect(reachOf(address)).toBe('here')
})
