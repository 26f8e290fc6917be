import { expect, test } from 'vitest'
import { ownInterface } from './own-interface.ts'

const agent = { preset: null, adapter: 'acp' as const, binaryPath: '/usr/bin/other', args: [] as string[] }

test.each([
  [{ adapter: 'claude' as const, args: ['--add-dir', 'x'] }, ['--add-dir', 'x', '--resume', 'ref']],
  [{ preset: 'codex' }, ['resume', 'ref']],
  [{ preset: 'gemini', args: ['--acp', '--skip-trust'] }, ['--skip-trust', '--resume', 'ref']],
  [{ binaryPath: '/opt/opencode', args: ['acp'] }, ['--session', 'ref']],
  [{}, undefined],
  [{ adapter: 'template' as const, binaryPath: '/usr/bin/gemini' }, undefined],
  [{ adapter: 'terminal' as const }, undefined],
])('%j is opened for a person with %j', (known, argv) => {
  expect(ownInterface({ ...agent, ...known }, 'ref')).toEqual(argv)
})

test('without a session of its own, it begins afresh', () => {
  expect(ownInterface({ ...agent, preset: 'gemini', args: ['--acp'] }, null)).toEqual([])
})
