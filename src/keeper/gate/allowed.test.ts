import { expect, test } from 'vitest'
import type { Egress } from '#contract/workspace.ts'
import { targetOf } from '#lib/target.ts'
import { leaveFor, mayReach } from './allowed.ts'

const allows = (egress: Egress, place: string, address = '1.1.1.1', modelHosts: string[] = []): boolean => {
  const leave = leaveFor({ egress, modelHosts }, targetOf(place)!)
  return leave.isAllowed && mayReach(leave, address)
}

test('none allows nothing, open all that is public, model the model hosts', () => {
  expect(allows('none', 'example.com:443')).toBe(false)
  expect(allows('none', 'api.example.com:443', '1.1.1.1', ['api.example.com'])).toBe(false)
  expect(allows('open', 'example.com:8443')).toBe(true)
  for (const address of ['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1', 'fd00::1', '::ffff:10.0.0.1'])
    expect(allows('open', 'example.com:443', address)).toBe(false)
  expect(allows('model', 'api.example.com:443', '1.1.1.1', ['api.example.com'])).toBe(true)
  expect(allows('model', 'example.com:443', '1.1.1.1', ['api.example.com'])).toBe(false)
})

test('a list allows its hosts, those below a star, and the ports 443 and 80 or the one that is named', () => {
  const list = ['example.com', '*.example.org', 'example.net:8443', '[2606:4700::1]:9000']
  for (const place of [
    'example.com:443',
    'EXAMPLE.COM.:80',
    'a.example.org:443',
    'a.b.example.org:443',
    'example.net:8443',
    '[2606:4700:0::1]:9000',
  ])
    expect(allows(list, place)).toBe(true)
  for (const place of [
    'www.example.com:443',
    'example.com:22',
    'example.org:443',
    'badexample.org:443',
    'example.net:443',
    '[2606:4700::1]:443',
  ])
    expect(allows(list, place)).toBe(false)
})

test('this machine is reached only where a list names that address and port', () => {
  expect(allows(['db.example.com'], 'db.example.com:443', '10.0.0.1')).toBe(true)
  expect(allows(['db.example.com'], 'db.example.com:443', '127.0.0.1')).toBe(false)
  expect(allows(['db.example.com:5432'], 'db.example.com:5432', '127.0.0.1')).toBe(false)
  expect(allows(['*.example.com:5432'], 'db.example.com:5432', '169.254.169.254')).toBe(false)
  expect(allows(['127.0.0.1'], '127.0.0.1:80', '127.0.0.1')).toBe(false)
  expect(allows(['127.0.0.1:8080'], '127.0.0.1:8080', '127.0.0.1')).toBe(true)
  expect(allows(['127.0.0.1:8080'], '127.0.0.1:8081', '127.0.0.1')).toBe(false)
  expect(allows(['127.0.0.1:8080'], '0x7f.1:8080', '127.0.0.1')).toBe(true)
  expect(allows(['localhost:8080'], 'localhost:8080', '127.0.0.1')).toBe(true)
  expect(allows(['169.254.169.254:80'], '169.254.169.254:80', '169.254.169.254')).toBe(true)
})

test('a model may be on this machine, where its port is named', () => {
  expect(allows('model', 'ollama:11434', '127.0.0.1', ['ollama:11434'])).toBe(true)
  expect(allows('model', 'api.example.com:443', '127.0.0.1', ['api.example.com'])).toBe(false)
})
