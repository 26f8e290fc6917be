import { expect, it } from 'vitest'
import { withoutSecrets } from './secret-frames.ts'

function noted(message: unknown): unknown {
  const lines: string[] = []
  withoutSecrets((_, line) => lines.push(line))('in', JSON.stringify(message))
  return JSON.parse(lines[0] ?? '')
}

it('hides what a server of tools gets in ACP’s form, and keeps the shape', () => {
  const params = (secret: string, ...args: string[]) => ({
    cwd: '/w',
    mcpServers: [
      { name: 'files', command: '/bin/files', args, env: [{ name: 'KEY', value: secret }] },
      { type: 'http', name: 'web', url: secret, headers: [{ name: 'Authorization', value: secret }] },
    ],
  })
  const told = { method: 'session/new', params: params('Bearer s3cret', '--token=s3cret', 's3cret') }
  const shown = { method: 'session/new', params: params('«hidden»', '«hidden»', '«hidden»') }
  expect(noted(told)).toEqual(shown)
})

it('hides it in Codex’s form, also when it is told back', () => {
  const config = (secret: string) => ({
    projects: { '/w': { trust_level: 'untrusted' } },
    mcp_servers: {
      files: { command: '/bin/files', args: [secret], env: { KEY: secret }, startup_timeout_sec: 5 },
      far: { url: secret, http_headers: { Authorization: secret }, bearer_token: secret, enabled: true },
    },
  })
  expect(noted({ id: 1, result: { config: config('s3cret') } })).toEqual({
    id: 1,
    result: { config: config('«hidden»') },
  })
})

it('leaves other lines as they are, and shows none that it cannot look into', () => {
  const lines: string[] = []
  const note = withoutSecrets((direction, line) => lines.push(`${direction} ${line}`))
  note('out', '{"a": 1,  "env": {"KEY": "of somebody else"}}')
  note('out', '{"mcpServers": [{"env": {"KEY": "s3cret"}')
  note('err', 'complains')
  expect(lines).toEqual([
    'out {"a": 1,  "env": {"KEY": "of somebody else"}}',
    'out «hidden»',
    'err complains',
  ])
})
