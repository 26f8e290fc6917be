import type {
  CodeMessage,
  CodeResult,
  CodeWaiting,
  ExecuteCode,
  LogLevel,
} from '../../../src/contract/execute.ts'
import { base } from '../../api.ts'

export interface CodeSocket {
  cancel: () => void
  close: () => void
}

interface Ears {
  onLog: (level: LogLevel, message: string) => void
  /** Without approvals: it goes on. */
  onWaiting: (waiting: CodeWaiting) => void
  onResult: (result: CodeResult) => void
  onRefused: (reason: string) => void
  onLost: () => void
}

type LogPayload = { level: LogLevel; message: string } & Partial<CodeWaiting>

/** Runs one piece of code over a socket of its own, and closes it when there is a result. */
export function openCodeSocket(
  ticket: string,
  wanted: Partial<ExecuteCode> & Pick<ExecuteCode, 'code'>,
  ears: Ears,
): CodeSocket {
  const address = new URL(`${base}/execute/ws`, location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  address.searchParams.set('ticket', ticket)
  const web = new WebSocket(address)
  let isOver = false
  const say = (message: Omit<CodeMessage, 'id'>) => web.send(JSON.stringify({ id: 'run', ...message }))
  const end = (tell: () => void) => {
    if (isOver) return
    isOver = true
    tell()
    web.close()
  }
  web.addEventListener('open', () => say({ type: 'execute', payload: wanted }))
  web.addEventListener('close', () => end(ears.onLost))
  web.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const { type, payload } = JSON.parse(data) as CodeMessage
    if (type === 'result') return end(() => ears.onResult(payload as CodeResult))
    if (type === 'error') return end(() => ears.onRefused((payload as { message: string }).message))
    const { level, message, requestId, approvals } = payload as LogPayload
    if (requestId !== undefined && approvals) ears.onWaiting({ requestId, approvals })
    else ears.onLog(level, message)
  })
  return {
    cancel: () => web.readyState === WebSocket.OPEN && say({ type: 'cancel' }),
    close: () => end(() => undefined),
  }
}
