import { CommandPiece, ToolRefusalCode } from '#contract/workspace-tool.ts'
import { heartbeat } from '#events/sse.ts'
import { linesOf } from '#lib/line-iterator.ts'
import { isProblemCode } from '#domain/problem.ts'
import { statusOf } from './problems.ts'
import { exitOf } from './tool-call.ts'
import type { Begun } from './tool-call.ts'

const beatMs = 15_000
const longestLine = 16 * 1024 * 1024
const encoder = new TextEncoder()

const gone: CommandPiece = {
  type: 'error',
  error: {
    code: 'workspace_failed',
    message: 'What serves the workspace ended in the middle of it. Whether the command was done is not known',
  },
}

const hungUp = { outcome: 'failed', more: { code: 'hung_up' } } as const

/**
 * What a command says, as server-sent events; the last one is `result` or `error`. It is read no faster than its reader takes it, and
 * when the reader goes, `hangUp` ends the command.
 */
export function commandEvents(
  begun: Begun,
  asker: AbortSignal,
  hangUp: () => void,
): ReadableStream<Uint8Array> {
  const pieces = piecesOf(begun.answer.body)
  let beating: NodeJS.Timeout | undefined
  return new ReadableStream<Uint8Array>({
    start(controller) {
      beating = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat)
      }, beatMs)
    },
    async pull(controller) {
      const { value: piece = gone } = await pieces.next()
      const isLast = piece.type === 'result' || piece.type === 'error'
      if (isLast) clearInterval(beating)
      if (isLast) await begun.end(asker.aborted ? hungUp : outcomeIn(piece))
      controller.enqueue(encoder.encode(frameOf(piece)))
      if (isLast) controller.close()
    },
    async cancel() {
      clearInterval(beating)
      hangUp()
      await begun.end(hungUp)
    },
  })
}

/** Ends with the first that is not understood, and when nothing more comes. */
async function* piecesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<CommandPiece, undefined> {
  try {
    for await (const line of linesOf(body, longestLine)) {
      const piece = CommandPiece.safeParse(JSON.parse(line))
      if (!piece.success) return undefined
      yield piece.data
    }
  } catch {
    // Whoever spoke is gone, or speaks another language.
  }
  return undefined
}

function outcomeIn(piece: CommandPiece): Parameters<Begun['end']>[0] {
  if (piece.type === 'result') return { outcome: 'ok', more: exitOf(piece.result) }
  const code = piece.type === 'error' ? codeOf(piece.error.code) : 'unfinished'
  return { outcome: isProblemCode(code) && statusOf[code] < 500 ? 'refused' : 'failed', more: { code } }
}

/** The inside may say what it likes; we repeat only what we know. */
const codeOf = (code: string): string => ToolRefusalCode.safeParse(code).data ?? 'workspace_failed'

function frameOf(piece: CommandPiece): string {
  const frame = (data: object) => `event: ${piece.type}\ndata: ${JSON.stringify(data)}\n\n`
  switch (piece.type) {
    case 'stdout':
    case 'stderr':
      return frame({ text: piece.text })
    case 'progress':
      return frame({ elapsedMs: piece.elapsedMs })
    case 'result':
      return frame(piece.result)
    case 'error':
      return frame({ code: codeOf(piece.error.code), message: piece.error.message.slice(0, 1_000) })
  }
}
