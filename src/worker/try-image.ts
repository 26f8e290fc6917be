import type { ToolCall } from '#contract/keeper.ts'
import type { WorkspaceSpec } from '#contract/workspace.ts'
import { Problem } from '#domain/problem.ts'
import { KeeperRefused } from './keeper-client.ts'
import type { Keepers } from './keepers.ts'

const withinMs = 60_000

/** Puts a container up: whether its image is there, and has what is needed, is known only then. Throws a Problem with why not. */
export async function tryImage(
  keepers: Pick<Keepers, 'forWorkspace'>,
  workspace: WorkspaceSpec,
): Promise<void> {
  // A real call: to look alone leaves a container that stands with the image from before.
  const asked: ToolCall = {
    workspace,
    notAfter: Date.now() + withinMs,
    input: { path: '.' },
    limitMs: withinMs,
  }
  const { client } = await keepers.forWorkspace(workspace.id)
  try {
    const answer = await client.ask('/tools/list', JSON.stringify(asked), AbortSignal.timeout(withinMs))
    answer.resume()
  } catch (error) {
    if (error instanceof KeeperRefused) throw new Problem('workspace_failed', error.message)
    throw error
  }
}
