import { expect, it } from 'vitest'
import type { McpServer } from '#contract/agent-event.ts'
import { claudeProgram } from './arguments.ts'
import { launchOf } from '../../../test/support/fake-claude.ts'

const sessionId = 'fcf03cc8-2b85-427d-8a94-89eddc1f7dbe'

it('speaks the protocol, and asks us before it does anything', () => {
  const { file, argv, takesInput } = claudeProgram(launchOf('/bin/claude'), { how: 'new', sessionId })
  expect([file, takesInput]).toEqual(['/bin/claude', true])
  expect(argv.join(' ')).toBe(
    `-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages --permission-prompt-tool stdio --session-id ${sessionId}`,
  )
})

it('adds what is wanted of it, and what the agent is registered with comes last', () => {
  const limits = { steps: 3, costUsd: 1.5, tokens: null }
  const launch = launchOf('/c', { model: 'opus', mode: 'plan', limits }, { argv: ['--add-dir', '/x'] })
  expect(claudeProgram(launch, { how: 'forked', of: sessionId }).argv.slice(9).join(' ')).toBe(
    `--resume ${sessionId} --fork-session --model=opus --permission-mode=plan --max-turns 3 --max-budget-usd 1.5000 --add-dir /x`,
  )
})

it('names a budget that Claude takes, whatever is left', () => {
  const budgetOf = (costUsd: number) => {
    const launch = launchOf('/c', { limits: { steps: null, tokens: null, costUsd } })
    const { argv } = claudeProgram(launch, { how: 'new', sessionId })
    return argv[argv.indexOf('--max-budget-usd') + 1]
  }
  expect([0, 1e-9, 0.1 + 0.2, 1e6].map(budgetOf)).toEqual(['0.0001', '0.0001', '0.3000', '1000000.0000'])
})

it('takes a value that looks like an option for a value', () => {
  const launch = launchOf('/c', { model: '--dangerously-skip-permissions' })
  const { argv } = claudeProgram(launch, { how: 'new', sessionId })
  expect(argv).not.toContain('--dangerously-skip-permissions')
})

it('sets its environment only where the user has not, and never pretends to be a sandbox', () => {
  const launch = launchOf('/c', {}, { env: { CLAUDE_CODE_MAX_RETRIES: '7', HOME: '/h' } })
  const { env } = claudeProgram(launch, { how: 'new', sessionId })
  expect(env).toEqual({
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '7',
    HOME: '/h',
  })
})

it('hands over servers of tools without a secret in an argument', () => {
  const mcpServers: McpServer[] = [
    { type: 'http', name: 'box', url: 'https://box/mcp?key=s1', headers: { Authorization: 'Bearer s2' } },
    {
      type: 'stdio',
      name: 'echo',
      command: '/bin/echo',
      args: ['--token=s3'],
      env: { KEY: 's4', LITERAL: '${HOME}' },
    },
  ]
  const { argv, env } = claudeProgram(launchOf('/c', { mcpServers }), { how: 'new', sessionId })
  expect(argv).toContain('--strict-mcp-config')
  expect(argv.join(' ')).not.toMatch(/s[1-4]/)
  const written = argv[argv.indexOf('--mcp-config') + 1] ?? ''
  // As Claude does: every name once, and what comes of it is not looked at again.
  const filled = written.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? '')
  expect(JSON.parse(filled)).toEqual({
    mcpServers: {
      box: { type: 'http', url: 'https://box/mcp?key=s1', headers: { Authorization: 'Bearer s2' } },
      echo: {
        type: 'stdio',
        command: '/bin/echo',
        args: ['--token=s3'],
        env: { KEY: 's4', LITERAL: '${HOME}' },
      },
    },
  })
})

it('gets our own tools beside its own, by a name that nothing else has, and reads no other configuration', () => {
  const taken: McpServer = { type: 'http', name: 'signalbox', url: 'https://other', headers: {} }
  const turn = { mcpServers: [taken], ownTools: { url: 'http://box/mcp', token: 'hidden-token' } }
  const { argv, env } = claudeProgram(launchOf('/c', turn), { how: 'new', sessionId })
  expect(argv).toContain('--strict-mcp-config')
  expect(argv.join(' ')).not.toContain('hidden-token')
  const written = argv[argv.indexOf('--mcp-config') + 1] ?? ''
  const filled = written.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? '')
  expect(JSON.parse(filled)).toEqual({
    mcpServers: {
      signalbox: {
        type: 'http',
        url: 'http://box/mcp',
        headers: { Authorization: 'Bearer hidden-token' },
        timeout: 604_800_000,
      },
    },
  })
})
