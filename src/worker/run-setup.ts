import { createInterface } from 'node:readline'
import { CommandPiece, longestCommandMs } from '#contract/workspace-tool.ts'
import type { ToolCall } from '#contract/keeper.ts'
import type { WorkspaceSpec } from '#contract/workspace.ts'
import { Problem } from '#domain/problem.ts'
import type { Keepers } from './keepers.ts'
import type { Tell } from './ready-workspace.ts'

const startWithinMs = 30_000
/** The end of what it said goes into the reason. */
const tailLength = 500

/** Runs a workspace's setup inside it, line by line as it speaks. Throws when it fails, with its last words. */
export async function runSetup(
  keepers: Pick<Keepers, 'forWorkspace'>,
  workspace: WorkspaceSpec,
  { command, env }: { command: string; env: Record<string, string> },
  tell: Tell,
): Promise<void> {
  tell(`Setup: ${command}`)
  const input = { command, timeout: longestCommandMs, stream: true, confirm: true, env }
  const asked: ToolCall = {
    workspace,
    notAfter: Date.now() + startWithinMs,
    input,
    limitMs: longestCommandMs,
  }
  const signal = AbortSignal.timeout(longestCommandMs + startWithinMs)
  const { client } = await keepers.forWorkspace(workspace.id)
  const answer = await client.ask('/tools/command/stream', JSON.stringify(asked), signal)
  const said = openTail(tell)
  for await (const line of createInterface({ input: answer })) {
    const piece = CommandPiece.parse(JSON.parse(line))
    if (piece.type === 'stdout' || piece.type === 'stderr') said.add(piece.text)
    if (piece.type === 'error') throw failed(piece.error.message, said.end())
    if (piece.type !== 'result') continue
    const { exitCode, timedOut, signal: killedBy } = piece.result
    if (exitCode === 0) return void said.end()
    throw failed(
      timedOut ? 'it took longer than 10 minutes' : `it ended with ${killedBy ?? exitCode}`,
      said.end(),
    )
  }
  throw failed('what ran it was ended', said.end())
}

function failed(why: string, tail: string): Problem {
  return new Problem('workspace_failed', `The setup failed: ${why}${tail && `. It said at last: ${tail}`}`)
}

/** Passes whole lines on, and keeps the last of them. */
function openTail(tell: Tell) {
  let [rest, tail] = ['', '']
  return {
    add(text: string) {
      tail = (tail + text).slice(-tailLength)
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) tell(line)
    },
    end() {
      if (rest !== '') tell(rest)
      rest = ''
      return tail.trim()
    },
  }
}
