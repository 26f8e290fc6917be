import type { Program } from '#lib/program.ts'
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

/** The dollars that the session may have cost in all when this turn is over; null is without limit. */
export const budgetOf = ({ limits, spentUsd = 0 }: SessionLaunch['turn']): number | null =>
  limits.costUsd === null ? null : spentUsd + limits.costUsd

export function claudeProgram(
  launch: SessionLaunch,
  beginning: Beginning,
  budgetUsd: number | null,
): Program {
  const { model, mode, limits, mcpServers } = launch.turn
  const mcp = mcpConfig(mcpServers)
  return {
    file: launch.program,
    argv: [
      ...protocol,
      ...sessionArguments(beginning),
      ...(model === null ? [] : [`--model=${model}`]),
      ...(mode === null ? [] : [`--permission-mode=${mode}`]),
      ...(limits.steps === null ? [] : ['--max-turns', String(Math.max(1, limits.steps))]),
      ...(budgetUsd === null ? [] : ['--max-budget-usd', dollars(budgetUsd)]),
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
