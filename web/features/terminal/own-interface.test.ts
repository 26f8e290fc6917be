import { expect, it } from 'vitest'
import { Agent } from '#contract/agent.ts'
import { ownInterface } from '#domain/own-interface.ts'
import { hasOwnInterface } from './own-interface.ts'

it('offers to take over exactly where the server knows how', () => {
  const presets = [null, 'claude', 'codex', 'gemini', 'opencode', 'goose'] as Agent['preset'][]
  const programs = [null, '/bin/claude', '/usr/bin/gemini', '/usr/bin/opencode', '/usr/bin/node']
  for (const preset of presets)
    for (const adapter of Agent.shape.adapter.options)
      for (const binaryPath of programs) {
        const agent = { preset, adapter, binaryPath, args: [] }
        expect([agent, hasOwnInterface(agent)]).toEqual([agent, ownInterface(agent, null) !== undefined])
      }
})
