import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestWorkspace } from '../../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../../test/support/workspace-tools.ts'
import { toolInputs } from '#contract/workspace-tool.ts'
import type { ToolName } from '#contract/workspace-tool.ts'

// What the tools check by hand is what the contract says: each of these is taken by both or refused by both.
const hash = 'a'.repeat(64)
const inputs: Record<ToolName, unknown[]> = {
  read: [
    { path: 'a' },
    { path: '' },
    {},
    { path: 1 },
    { path: null },
    { path: 'a', more: 1 },
    { path: 'x'.repeat(65_537) },
    { path: 'a', range: { start: 1, end: 1 } },
    { path: 'a', range: { start: 0, end: 1 } },
    { path: 'a', range: { start: 1.5, end: 2 } },
    { path: 'a', range: { start: 1 } },
    { path: 'a', range: { start: 1, end: 1, more: 1 } },
    { path: 'a', range: null },
    { path: 'a', range: [1, 2] },
    null,
    undefined,
    'a',
    ['a'],
  ],
  write: [
    { path: 'w', content: '' },
    { path: 'w' },
    { content: '' },
    { path: 'w', content: 1 },
    { path: 'w', content: '', expectedHash: hash },
    { path: 'w', content: '', expectedHash: 'short' },
    { path: 'w', content: '', expectedHash: null },
    { path: 'w', content: '', expectedHash: 1 },
    { path: 'w', content: '', mode: 1 },
    { path: 'w', content: '', within: ['.'] },
    { path: 'w', content: '', within: [] },
    { path: 'w', content: '', within: [''] },
    { path: 'w', content: '', within: [1] },
    { path: 'w', content: '', within: '.' },
    { path: 'w', content: '', within: null },
    { path: 'w', content: '', within: { 0: '.' } },
    { path: 'w', content: '', within: Array.from({ length: 1_001 }, () => '.') },
  ],
  edit: [
    { path: 'a', find: 'a', replace: 'a' },
    { path: 'a', find: '', replace: 'a' },
    { path: 'a', find: 'a' },
    { path: 'a', find: 'a', replace: 'a', all: true },
    { path: 'a', find: 'a', replace: 'a', first: 'yes' },
    { path: 'a', find: 'a', replace: 'a', all: null },
    { path: 'a', find: 'a', replace: 'a', expectedHash: hash },
    { path: 'a', find: 'a', replace: 'a', expectedHash: null },
    { path: 'a', find: 'a', replace: 'a', more: true },
  ],
  list: [{}, { path: '.' }, { path: '' }, { path: null }, { folder: '.' }, null],
  search: [
    { pattern: 'a' },
    { pattern: '' },
    {},
    { pattern: 'a'.repeat(10_001) },
    { pattern: 'a', type: 'regex' },
    { pattern: 'a', type: 'fuzzy' },
    { pattern: 'a', limit: 1 },
    { pattern: 'a', limit: 0 },
    { pattern: 'a', limit: 10_001 },
    { pattern: 'a', limit: '5' },
    { pattern: 'a', caseSensitive: false, includeIgnored: true, path: '.' },
    { pattern: 'a', caseSensitive: 'no' },
    { pattern: 'a', path: '' },
    { pattern: 'a', other: 1 },
  ],
  command: [
    { command: 'true' },
    { command: '' },
    { command: 1 },
    { command: 'a'.repeat(131_073) },
    { command: 'true', timeout: 60_000 },
    { command: 'true', timeout: 60_001 },
    { command: 'true', timeout: 60_001, stream: true },
    { command: 'true', timeout: 600_001, stream: true },
    { command: 'true', timeout: 0 },
    { command: 'true', cwd: '.' },
    { command: 'true', cwd: '' },
    { command: 'true', env: { A_1: 'b' } },
    { command: 'true', env: {} },
    { command: 'true', env: { '1A': 'b' } },
    { command: 'true', env: { 'A-B': 'b' } },
    { command: 'true', env: { A: 1 } },
    { command: 'true', env: 'A=b' },
    { command: 'true', env: ['A'] },
    { command: 'true', confirm: true },
    { command: 'true', confirm: 'yes' },
    { command: 'true', shell: 'bash' },
  ],
  output: [
    { handle: 'h' },
    { handle: 'h'.repeat(201) },
    {},
    { handle: 'h', offset: 0, limit: 1 },
    { handle: 'h', offset: -1 },
    { handle: 'h', limit: 0 },
    { handle: 'h', limit: 1_048_577 },
    { handle: 'h', from: 1 },
  ],
}

it('the contract and the host say which variable has no name, and why', async () => {
  const input = { command: 'true', env: { A: 'b', 'B=C': 'd' } }
  const why = 'cannot be the name of a variable: letters, digits and _ only, and no digit first'
  expect(toolInputs.command.safeParse(input).error?.issues).toMatchObject([
    { path: ['env', 'B=C'], message: why },
  ])
  expect((await workspace.refused('command', input)).message).toContain(`env.B=C: ${why}`)
})

let workspace: TestWorkspace
beforeAll(() => {
  workspace = openTestWorkspace()
  writeFileSync(join(workspace.root, 'a'), 'a')
})
afterAll(() => workspace.close())

const signal = new AbortController().signal
const outcome = async (tool: ToolName, input: unknown) =>
  workspace.tools.call(tool, input, signal).then(
    () => 'taken',
    (error: { code: string }) => (error.code === 'tool_input' ? 'refused' : 'taken'),
  )

describe.each(Object.keys(inputs) as ToolName[])('%s', (tool) => {
  it.each(inputs[tool].map((input) => [JSON.stringify(input)?.slice(0, 100), input] as const))(
    '%s',
    async (_, input) => {
      expect(await outcome(tool, input)).toBe(toolInputs[tool].safeParse(input).success ? 'taken' : 'refused')
    },
  )
})

it('a refusal names the field and the reason', async () => {
  expect(await workspace.refused('read', { path: 'a', range: { start: 0, end: 1 } })).toMatchObject({
    code: 'tool_input',
    message: expect.stringMatching(/^range\.start: must be between 1 and/),
    context: { field: 'range.start', reason: expect.any(String) },
  })
})

it('a tool that is none is refused', async () => {
  for (const name of ['none', 'constructor', '__proto__'])
    await expect(workspace.tools.call(name as ToolName, {}, signal)).rejects.toMatchObject({
      code: 'tool_input',
    })
})
