import type { ToolCall } from '#contract/keeper.ts'
import type { ToolName } from '#contract/workspace-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { Keeper } from './keeper.ts'

/** One call of a workspace's tool. Rejects with ToolRefused. */
export async function callTool(keeper: Keeper, tool: string, asked: ToolCall): Promise<object> {
  const signal = AbortSignal.timeout(asked.limitMs)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(
        new ToolRefused('tool_timed_out', `It took longer than ${asked.limitMs / 1000} s, and was given up`),
      ),
    )
  })
  return Promise.race([keeper.inside(asked).call(tool as ToolName, asked.input, signal), late])
}
