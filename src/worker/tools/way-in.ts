import { CommandPiece, longestUnstreamedMs } from '#contract/workspace-tool.ts'
import type { CommandAsked, ToolName } from '#contract/workspace-tool.ts'
import type { Database } from '#db/pool.ts'
import { findToolPlace } from '#db/tool-place.ts'
import type { ToolPlace } from '#db/tool-place.ts'
import { Problem, isProblemCode } from '#domain/problem.ts'
import { linesOf } from '#lib/line-iterator.ts'
import { readWhole } from '#lib/read-whole.ts'
import type { CallHands } from '#tools/port.ts'
import type { ToolCalls } from '../call-tool.ts'

interface Needs {
  db: Database
  machineId: string
  toolCalls: ToolCalls
}

export interface At {
  sessionId: string
  hands: CallHands
}

/** Into the workspace of a session of this machine. Everything rejects with Problems. */
export interface WayIn {
  ask(at: At, tool: Exclude<ToolName, 'command'>, input: unknown): Promise<unknown>
  /** Tells how long it runs; ends with it. */
  command(at: At, input: CommandAsked, check: (place: ToolPlace) => Promise<void>): Promise<unknown>
}

const longestAnswer = 64 * 1024 * 1024
const longestLine = 16 * 1024 * 1024
/** After its time a command is killed, and what it said is told. */
const killMs = 5_000

export function openWayIn({ db, machineId, toolCalls }: Needs): WayIn {
  async function placeOf(sessionId: string): Promise<ToolPlace> {
    const place = await findToolPlace(db, sessionId)
    if (!place) throw new Problem('session_not_found', `No session ${sessionId}`)
    if (place.trashedAt) throw new Problem('session_trashed', 'The session is in the trash: restore it first')
    if (place.workspaceState === 'trashed')
      throw new Problem(
        'workspace_trashed',
        `The workspace ${place.workspaceName} is in the trash: restore it first`,
      )
    if (place.machine?.id !== machineId)
      throw new Problem(
        'machine_unavailable',
        `The workspace of this session is on ${place.machine?.name ?? 'a machine that is not known'}: its tools are there only`,
      )
    return place
  }

  const askedAt = (sessionId: string, { workspaceId, stamp }: ToolPlace) => ({
    sessionId,
    ...(workspaceId && stamp && { workspaceId, stamp }),
  })

  return {
    async ask({ sessionId, hands: { signal } }, tool, input) {
      const at = askedAt(sessionId, await placeOf(sessionId))
      const asked = { ...at, tool, limitMs: longestUnstreamedMs }
      const answer = await toolCalls.ask(asked, JSON.stringify(input), signal)
      const { data } = JSON.parse((await readWhole(answer, longestAnswer)).toString('utf8')) as {
        data: unknown
      }
      return data
    },

    async command({ sessionId, hands }, input, check) {
      const place = await placeOf(sessionId)
      await check(place)
      const asked = {
        ...askedAt(sessionId, place),
        tool: 'stream' as const,
        limitMs: input.timeout + killMs,
      }
      const body = await toolCalls.ask(asked, JSON.stringify(input), hands.signal)
      for await (const line of linesOf(body, longestLine)) {
        const piece = CommandPiece.parse(JSON.parse(line))
        if (piece.type === 'result') return piece.result
        if (piece.type === 'error') throw refused(piece.error)
        if (piece.type === 'progress') hands.onProgress?.({ progress: piece.elapsedMs, total: input.timeout })
      }
      throw new Problem(
        'workspace_failed',
        'What serves the workspace ended in the middle of it. Whether the command was done is not known',
      )
    },
  }
}

/** The inside may say what it likes; only what we know is repeated. */
const refused = ({ code, message }: { code: string; message: string }) =>
  new Problem(isProblemCode(code) ? code : 'workspace_failed', message.slice(0, 1_000))
