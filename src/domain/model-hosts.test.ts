import { expect, test } from 'vitest'
import { Egress } from '#contract/workspace.ts'
import { modelHostsOf } from './model-hosts.ts'

test('the hosts of the agents that there are, and the configured ones with their ports', () => {
  const hosts = modelHostsOf(
    ['codex'],
    ['http://127.0.0.1:11434/v1', 'https://gateway.example/x', 'http://[::1]:9/', 'nonsense'],
  )
  expect(hosts).toEqual([
    '127.0.0.1:11434',
    '[::1]:9',
    'api.openai.com',
    'auth.openai.com',
    'chatgpt.com',
    'gateway.example:443',
  ])
  expect(Egress.parse(hosts)).toEqual(hosts)
  expect(modelHostsOf([], [])).toEqual([])
})
