import type { z } from 'zod'
import type { Principal } from '#contract/access.ts'
import type { AskTool } from '#contract/internal.ts'
import { openAuditBook } from '#db/audit-book.ts'
import { amendAudit } from '#db/audit.ts'
import type { Database } from '#db/pool.ts'
import { findToolPlace } from '#db/tool-place.ts'
import type { ToolPlace } from '#db/tool-place.ts'
import { Problem } from '#domain/problem.ts'
import { openCallRate } from './call-rate.ts'
import { openWorker, dataIn } from './owning-worker.ts'
import { noteToolCall } from './tool-metrics.ts'
import { outcomeOf } from './tool-note.ts'
import type { WorkerAnswer } from './worker-line.ts'

export const callsPerMinute = 1_000
/** Beyond the limit: the way there and back, and giving up. */
const wayMs = 10_000
/** Before a streamed command begins its workspace may have to be prepared. */
const preparingMs = 60_000
/** The largest answer: a file of 50 MB, as JSON. */
const longestAnswer = 64 * 1024 * 1024

/** One call, as somebody asks for it. */
export interface Call {
  by: Principal
  sessionId: string
  tool: AskTool['tool']
  /** Under which name it is counted and noted. */
  name: string
  input: unknown
  limitMs: number
  /** What it is about, for the audit. */
  about: Record<string, unknown>
  signal: AbortSignal
  /** Looks at it once it is known where it would happen; throws when it must not. */
  check?: (place: ToolPlace) => Promise<void> | void
}

/** A call whose answer has begun. */
export interface Begun {
  answer: WorkerAnswer
  /** Writes down what has come of it; only what is said first. */
  end(outcome: { outcome: 'ok' | 'refused' | 'failed'; more: Record<string, unknown> }): Promise<void>
}

type Placed = ToolPlace & { machine: NonNullable<ToolPlace['machine']> }

/** Calls tools in the workspaces of sessions. Each call is written down before it is answered. */
export function openToolDesk(db: Database) {
  const rate = openCallRate({ perMinute: callsPerMinute })
  const book = openAuditBook(db)

  /** The session, if it is theirs and has not asked too often. */
  async function find({ by, sessionId }: Call): Promise<ToolPlace> {
    const place = await findToolPlace(db, sessionId)
    const isTheirs = by.agent ? by.agent.sessionId === sessionId : place?.createdBy === by.id
    if (!place || (by.kind !== 'owner' && !isTheirs))
      throw new Problem('session_not_found', `No session ${sessionId}`)
    const retryAfterSec = rate.take(sessionId)
    if (retryAfterSec === undefined) return place
    throw new Problem(
      'too_many_calls',
      `Tools can be called ${callsPerMinute} times a minute in a session. Wait ${retryAfterSec} s`,
      { retryAfterSec },
    )
  }

  const noteOf = ({ by, sessionId, name, about }: Call, { workspaceId }: ToolPlace) => ({
    kind: 'tool' as const,
    actor: by.id,
    sessionId,
    workspaceId,
    subject: name,
    detail: about,
  })

  async function ask(call: Call, place: ToolPlace): Promise<WorkerAnswer> {
    const { machine } = checkPlace(place)
    await call.check?.(place)
    const { sessionId, tool, limitMs } = call
    const asked = new URLSearchParams({ sessionId, tool, limitMs: String(limitMs) })
    if (place.workspaceId && place.stamp) {
      asked.set('workspaceId', place.workspaceId)
      asked.set('stamp', place.stamp)
    }
    const patienceMs = limitMs + wayMs + (tool === 'stream' ? preparingMs : 0)
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(patienceMs)])
    return openWorker(db, machine, `/tool?${asked.toString()}`, JSON.stringify(call.input), signal)
  }

  return {
    /** The answer, as the contract has it. */
    async call<Shape extends z.ZodType>(call: Call, shape: Shape): Promise<z.infer<Shape>> {
      const since = performance.now()
      const place = await find(call)
      const done = async (outcome: 'ok' | 'refused' | 'failed', more: object) => {
        const durationMs = performance.now() - since
        noteToolCall(call.name, outcome, durationMs)
        const note = noteOf(call, place)
        await book.note({ ...note, outcome, durationMs, detail: { ...note.detail, ...more } })
      }
      let data
      try {
        const answer = await ask(call, place)
        const given = await dataIn(checkPlace(place).machine, answer, longestAnswer)
        data = understood(shape, withTime(given, since))
      } catch (error) {
        const { outcome, code } = outcomeOf(error, call.signal)
        await done(outcome, { code })
        throw error
      }
      await done('ok', exitOf(data))
      return data
    },

    /** The same for one that tells what it says while it runs: it is written down when it begins, and again at its end. */
    async begin(call: Call): Promise<Begun> {
      const since = performance.now()
      const place = await find(call)
      const note = noteOf(call, place)
      const unfinished = { ...note.detail, code: 'unfinished' }
      const id = await book.note({ ...note, outcome: 'failed', detail: unfinished })
      let hasEnded = false
      const end: Begun['end'] = async ({ outcome, more }) => {
        if (hasEnded) return
        hasEnded = true
        const durationMs = performance.now() - since
        noteToolCall(call.name, outcome, durationMs)
        await amendAudit(db, id, { outcome, durationMs, detail: { ...note.detail, ...more } })
      }
      try {
        return { answer: await ask(call, place), end }
      } catch (error) {
        const { outcome, code } = outcomeOf(error, call.signal)
        await end({ outcome, more: { code } })
        throw error
      }
    },
  }
}

function checkPlace(place: ToolPlace): Placed {
  const { machine, trashedAt, workspaceState, workspaceName } = place
  if (trashedAt) throw new Problem('session_trashed', 'The session is in the trash: restore it first')
  if (workspaceState === 'trashed')
    throw new Problem('workspace_trashed', `The workspace ${workspaceName} is in the trash: restore it first`)
  if (!machine)
    throw new Problem('machine_unavailable', 'The machine of this session is not known: its agent is gone')
  return { ...place, machine }
}

/** Inside it is measured; what is told by others is measured here. */
const withTime = (data: unknown, since: number): unknown =>
  typeof data === 'object' && data !== null ? { executionTime: performance.now() - since, ...data } : data

/** What comes from inside is not trusted to be what was agreed on. */
export function understood<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new Problem(
    'workspace_failed',
    'What answers in the workspace did so in a way that is not understood. Stop the workspace, and try again',
  )
}

export const exitOf = (answer: unknown): Record<string, unknown> =>
  typeof answer === 'object' && answer !== null && 'exitCode' in answer && 'timedOut' in answer
    ? { exitCode: answer.exitCode, ...(answer.timedOut === true && { timedOut: true }) }
    : {}
