import { expect, test } from 'vitest'
import { targetOf } from './target.ts'

test.each([
  ['example.com:443', { host: 'example.com', port: 443 }],
  ['EXAMPLE.com.:443', { host: 'example.com', port: 443 }],
  ['127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
  ['0x7f.1:80', { host: '127.0.0.1', port: 80 }],
  ['2130706433:80', { host: '127.0.0.1', port: 80 }],
  ['0177.0.0.1:80', { host: '127.0.0.1', port: 80 }],
  ['127.0.0.1.:80', { host: '127.0.0.1', port: 80 }],
  ['%31%32%37.0.0.1:80', { host: '127.0.0.1', port: 80 }],
  ['１２７.0.0.1:80', { host: '127.0.0.1', port: 80 }],
  ['[::1]:80', { host: '::1', port: 80 }],
  ['[0:0:0:0:0:ffff:127.0.0.1]:80', { host: '::ffff:7f00:1', port: 80 }],
])('%s is one place, however it is spelt', (authority, target) => {
  expect(targetOf(authority)).toEqual(target)
})

test.each([
  'example.com',
  ':443',
  'a:0',
  'a:65536',
  'user@a:443',
  'a/b:443',
  'a b:443',
  'a:443:443',
  '[::1',
  'a\\b:443',
  '[a@b]:443',
])('%s is no place', (authority) => {
  expect(targetOf(authority)).toBeUndefined()
})
