import type { Program } from '#lib/program.ts'
import { serversOf } from '../own-server.ts'
import type { SessionLaunch } from '../port.ts'
import { mcpConfig } from './mcp-config.ts'

/** How the session is to begin. */
export type Beginning =
  | { how: 'new'; sessionId: string }
  | { how: 'resumed'; sessionId: string }
  | { how: 'forked'; of: string }

const protocol = [
  ['-p'],
  ['--input-format', 'stream-json'],
  ['--output-format', 'stream-json'],
  ['--verbose'],
  ['--include-partial-messages'],
  ['--permission-prompt-tool', 'stdio'],
].flat()

/** Claude tries a refused key ten times, for minutes; twice is enough to get over a hiccup. */
const usualEnv = {
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_MAX_RETRIES: '2',
}

export function claudeProgram(launch: SessionLaunch, beginning: Beginning): Program {
  const { model, mode, limits } = launch.turn
  const mcp = mcpConfig(serversOf(launch.turn))
  return {
    file: launch.program,
    argv: [
      ...protocol,
      ...sessionArguments(beginning),
      ...(model === null ? [] : [`--model=${model}`]),
      ...(mode === null ? [] : [`--permission-mode=${mode}`]),
      ...(limits.steps === null ? [] : ['--max-turns', String(Math.max(1, limits.steps))]),
      // Held against what this process spends, whatever the session has cost before.
      ...(limits.costUsd === null ? [] : ['--max-budget-usd', dollars(limits.costUsd)]),
      ...mcp.argv,
      ...launch.argv,
    ],
    env: { ...usualEnv, ...launch.env, ...mcp.env },
    cwd: launch.cwd,
    takesInput: true,
  }
}

/** It takes no zero, and no number with an exponent. */
const dollars = (amount: number): string => Math.max(amount, 0.0001).toFixed(4)

function sessionArguments(beginning: Beginning): string[] {
  if (beginning.how === 'new') return ['--session-id', beginning.sessionId]
  if (beginning.how === 'resumed') return ['--resume', beginning.sessionId]
  return ['--resume', beginning.of, '--fork-session']
}
