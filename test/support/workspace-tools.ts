import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { expect } from 'vitest'
import { groupBoundary } from '#boundaries/none/process-group.ts'
import type { CommandRule } from '#contract/host.ts'
import { toolAnswers } from '#contract/workspace-tool.ts'
import type { ToolAnswer, ToolName } from '#contract/workspace-tool.ts'
import { openTools } from '#host/open-tools.ts'
import type { ToolSurroundings, Tools } from '#host/open-tools.ts'
import { startProgram } from '#host/start-program.ts'
import { ToolRefused } from '#lib/tool-refused.ts'

export const toolMark = 'SIGNALBOX_TOOL_TEST'

/** A workspace in a folder of its own, with another folder beside it that nobody may reach. */
export interface TestWorkspace {
  root: string
  outside: string
  scratch: string
  tools: Tools
  rules: CommandRule[]
  /** The answer, which has to fit the contract. */
  call<Name extends ToolName>(tool: Name, input: object, signal?: AbortSignal): Promise<ToolAnswer<Name>>
  /** The refusal that has to come. */
  refused(tool: ToolName, input: object): Promise<ToolRefused>
  code(tool: ToolName, input: object): Promise<string>
  close(): Promise<void>
}

export const rg = existsSync(rgPath) ? rgPath : null

export function openTestWorkspace(more: Partial<ToolSurroundings> = {}): TestWorkspace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tools-')))
  const [root, outside, scratch] = ['root', 'outside', 'scratch'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(root)
  mkdirSync(outside)
  const rules: CommandRule[] = []
  const enclosure = groupBoundary(startProgram, toolMark)
  const tools = openTools({
    root,
    rg,
    scratch,
    env: { PATH: process.env['PATH'] ?? '' },
    commandRules: () => rules,
    start: (program, mark) => enclosure.start(program, mark),
    ...more,
  })
  const never = new AbortController().signal
  const call: TestWorkspace['call'] = async (tool, input, signal = never) => {
    const answer = await tools.call(tool, input, signal)
    return toolAnswers[tool].parse(answer) as never
  }
  const refused: TestWorkspace['refused'] = async (tool, input) => {
    const said = await tools.call(tool, input, never).catch((error: unknown) => error)
    expect(said).toBeInstanceOf(ToolRefused)
    return said as ToolRefused
  }
  return {
    root,
    outside,
    scratch,
    tools,
    rules,
    call,
    refused,
    code: async (tool, input) => (await refused(tool, input)).code,
    async close() {
      await tools.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
