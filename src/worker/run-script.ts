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

interface Script {
  name: 'setup' | 'teardown'
  command: string
  env: Record<string, string>
  /** Longer it may not take. */
  limitMs?: number
}

/** Runs a script of a workspace inside it, line by line as it speaks. Throws when it fails, with its last words. */
export async function runScript(
  keepers: Pick<Keepers, 'forWorkspace'>,
  workspace: WorkspaceSpec,
  { name, command, env, limitMs = longestCommandMs }: Script,
  tell: Tell,
): Promise<void> {
  tell(`${name === 'setup' ? 'Setup' : 'Teardown'}: ${command}`)
  const failed = (why: string, tail: string) =>
    new Problem('workspace_failed', `The ${name} failed: ${why}${tail && `. It said at last: ${tail}`}`)
  const input = { command, timeout: limitMs, stream: true, confirm: true, env }
  const asked: ToolCall = {
    workspace,
    notAfter: Date.now() + startWithinMs,
    input,
    limitMs,
  }
  const signal = AbortSignal.timeout(limitMs + startWithinMs)
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
      timedOut ? `it took longer than ${limitMs / 1000} s` : `it ended with ${killedBy ?? exitCode}`,
      said.end(),
    )
  }
  throw failed('what ran it was ended', said.end())
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
