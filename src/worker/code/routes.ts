import { Hono } from 'hono'
import type { CodeLine, CodeWaiting } from '#contract/execute.ts'
import { AskApi, AskCancelCode, AskCheck, AskExecute } from '#contract/internal.ts'
import { Problem } from '#domain/problem.ts'
import type { CodeAnswer, CodeEars, MachineCode } from './machine-code.ts'

/** Code mode of this machine. What it is made of is loaded when somebody runs code. */
export interface CodeHere {
  code(): Promise<MachineCode>
  /** Nothing, where nothing was run yet. */
  running(): Promise<MachineCode> | undefined
  /** Nothing, where nothing was run yet. */
  metrics(): Promise<string>
}

/** What web asks of code mode. */
export function codeRoutes(here: () => CodeHere): Hono {
  const app = new Hono()
  app.post('/code/execute', async (c) => {
    const { by, requestId, ...wanted } = AskExecute.parse(await c.req.json())
    const code = await here().code()
    const answer = await code.execute(by, wanted, { signal: c.req.raw.signal, requestId })
    return c.json({ data: admitted(answer) })
  })
  app.post('/code/stream', async (c) => {
    const asked = AskExecute.parse(await c.req.json())
    const bytes = await codeLines(await here().code(), asked, c.req.raw.signal)
    return c.body(bytes, 200, { 'content-type': 'application/x-ndjson' })
  })
  app.post('/code/cancel', async (c) => {
    const { by, requestId } = AskCancelCode.parse(await c.req.json())
    const running = await here().running()
    return c.json({ data: { isCancelled: (await running?.cancel(by, requestId)) ?? false } })
  })
  app.post('/code/check', async (c) => {
    const { by, ...wanted } = AskCheck.parse(await c.req.json())
    return c.json({ data: await (await here().code()).check(by, wanted, c.req.raw.signal) })
  })
  app.post('/code/api', async (c) => {
    const { by, query } = AskApi.parse(await c.req.json())
    return c.json({ data: await (await here().code()).api(by, query) })
  })
  app.post('/code/metrics', async (c) => c.json({ data: await here().metrics() }))
  return app
}

/** Code that never got its turn was not run: whoever asked is to come back. Throws a Problem then. */
function admitted(answer: CodeAnswer): CodeAnswer {
  if (!('result' in answer) || !answer.isNotBegun) return answer
  const why = answer.result.error?.message ?? 'There is no room for it. Try again later'
  throw new Problem('too_many_calls', why, { retryAfterSec: 1 })
}

/**
 * One execution, line by line, to its result, however long a person takes. Rejects when it was not begun. It is cancelled when nobody
 * reads on, unless it waits for a person.
 */
async function codeLines(
  code: MachineCode,
  { by, requestId, ...wanted }: AskExecute,
  asker: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const left = new AbortController()
  const signal = AbortSignal.any([asker, left.signal])
  const begun = Promise.withResolvers<void>()
  const encoder = new TextEncoder()

  async function run(tell: (line: CodeLine) => void): Promise<void> {
    let asked = ''
    /** What it waits for is told once. */
    const onWaiting = (waiting: CodeWaiting): void => {
      const now = waiting.approvals.map(({ id }) => id).join()
      if (now !== asked) tell({ type: 'waiting', waiting })
      asked = now
    }
    const ears: CodeEars = {
      signal,
      requestId,
      onLog: (level, message) => tell({ type: 'log', level, message }),
      onWaiting,
    }
    const answer = admitted(await code.execute(by, wanted, ears))
    if ('waiting' in answer) onWaiting(answer.waiting)
    const result = 'result' in answer ? answer.result : await code.ended(by, answer.waiting.requestId, ears)
    tell({ type: 'result', result })
  }

  const bytes = new ReadableStream<Uint8Array>({
    start(controller) {
      const tell = (line: CodeLine): void => {
        if (left.signal.aborted) return
        controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
        begun.resolve()
      }
      void run(tell).then(
        () => !left.signal.aborted && controller.close(),
        (error: unknown) => {
          begun.reject(error)
          if (!left.signal.aborted) controller.error(error)
        },
      )
    },
    cancel: () => left.abort(),
  })
  await begun.promise
  return bytes
}
