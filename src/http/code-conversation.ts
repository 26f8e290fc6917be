import type { Logger } from 'pino'
import { CodeMessageHeard, ExecuteCode } from '#contract/execute.ts'
import type { CodeLine, CodeMessage, CodeWaiting } from '#contract/execute.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { faultInJson } from '#lib/json.ts'
import { doesNotFit } from './room.ts'

interface Needs {
  /** One execution, line by line; the last is its result. Throws a Problem when it is not begun. */
  run: (wanted: ExecuteCode, requestId: string, signal: AbortSignal) => AsyncIterable<CodeLine>
  cancel: (requestId: string, sessionId: string | undefined) => Promise<void>
  /** Told to whoever is at the other end. */
  send: (message: CodeMessage) => void
  log: Pick<Logger, 'error'>
}

/** What is said on one socket. */
export interface CodeConversation {
  hear(text: string): void
  /** Nobody is there any more: what does not wait for a person is cancelled. */
  close(): void
}

/** As many as one socket may have under way. */
const mostAtOnce = 20

/** Runs what is asked for, several at once, each by the name that the client has given to it. */
export function openConversation({ run, cancel, send, log }: Needs): CodeConversation {
  const underWay = new Map<string, { requestId: string; sessionId: string | undefined }>()
  const left = new AbortController()

  const tell = (id: string, type: CodeMessage['type'], payload: unknown) =>
    send({ id, type, payload, timestamp: Date.now() })

  const refuse = (id: string, error: unknown) => {
    if (left.signal.aborted) return
    if (!(error instanceof Problem)) log.error({ err: error }, 'an execution failed on our side')
    const { code, message, context } = error instanceof Problem ? error : onOurSide
    tell(id, 'error', { code, message, ...(context && { context }) })
  }

  async function execute(id: string, payload: unknown): Promise<void> {
    if (underWay.has(id))
      throw new Problem('does_not_fit', `An execution with the id ${id} is under way: give it another one`)
    if (underWay.size >= mostAtOnce)
      throw new Problem(
        'too_many_calls',
        `${mostAtOnce} executions are under way on this socket, and no more fit: wait for one of them`,
        { retryAfterSec: 1 },
      )
    const wanted = ExecuteCode.safeParse(inOneObject(payload))
    if (!wanted.success) throw doesNotFit('payload', wanted.error)
    const requestId = newId()
    underWay.set(id, { requestId, sessionId: wanted.data.sessionId })
    try {
      for await (const line of run(wanted.data, requestId, left.signal)) {
        if (line.type === 'result') underWay.delete(id)
        tellLine(id, line)
      }
    } finally {
      underWay.delete(id)
    }
  }

  function tellLine(id: string, line: CodeLine): void {
    if (line.type === 'result') tell(id, 'result', line.result)
    else if (line.type === 'waiting') tell(id, 'log', waitingLog(line.waiting))
    else tell(id, 'log', { level: line.level, message: line.message })
  }

  async function answer({ id, type, payload }: CodeMessageHeard): Promise<void> {
    if (type === 'execute') return execute(id, payload)
    const run = underWay.get(id)
    if (!run) throw new Problem('not_found', `No execution with the id ${id} is under way on this socket`)
    await cancel(run.requestId, run.sessionId)
  }

  return {
    hear(text) {
      const read = readMessage(text)
      if ('problem' in read) refuse(read.id, read.problem)
      else void answer(read.message).catch((error: unknown) => refuse(read.message.id, error))
    },
    close: () => left.abort(),
  }
}

const onOurSide = {
  code: 'internal',
  message: 'Something went wrong on our side. Its log has it',
  context: undefined,
}

function readMessage(text: string): { message: CodeMessageHeard } | { id: string; problem: Problem } {
  const fault = faultInJson(text)
  if (fault)
    return {
      id: '',
      problem: new Problem(
        'bad_json',
        `The message is not JSON that can be read: line ${fault.line}, column ${fault.column}: ${fault.reason}`,
      ),
    }
  const value: unknown = JSON.parse(text)
  const message = CodeMessageHeard.safeParse(value)
  if (message.success) return { message: message.data }
  const id = CodeMessageHeard.shape.id.safeParse(isObject(value) ? value['id'] : undefined).data ?? ''
  return { id, problem: doesNotFit('message', message.error) }
}

/** `{code, timeout, …}`, or as older clients have it `{code, options: {timeout, …}}`. */
function inOneObject(payload: unknown): unknown {
  if (!isObject(payload) || !('options' in payload)) return payload
  const { options, ...rest } = payload
  return isObject(options) ? { ...options, ...rest } : payload
}

const waitingLog = ({ requestId, approvals }: CodeWaiting) => ({
  level: 'info',
  message:
    approvals.length > 0
      ? `It waits for a person: ${approvals.map(({ title }) => title).join('; ')}`
      : 'It goes on',
  requestId,
  approvals,
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
