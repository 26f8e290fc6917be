import type { CodeResult, CodeWaiting, ExecuteCode, LogLevel } from '../../../src/contract/execute.ts'
import { Refusal } from '../../api.ts'
import { createStore } from '../../store.ts'
import { codeStrings as words } from '../../strings/code.ts'
import { codeApi } from './code-api.ts'
import { openCodeSocket } from './code-socket.ts'
import type { CodeSocket } from './code-socket.ts'
import { keep, kept } from './kept-code.ts'

export interface LogLine {
  number: number
  level: LogLevel
  message: string
}

export interface Run {
  phase: 'idle' | 'running' | 'waiting' | 'ended'
  isCancelling: boolean
  logs: readonly LogLine[]
  approvals: CodeWaiting['approvals']
  result: CodeResult | null
  /** Why there is no result. */
  problem: string | null
  /** What ran: an error tells lines of it, and not of what is written meanwhile. */
  code: string
}

type Wanted = Partial<ExecuteCode> & Pick<ExecuteCode, 'code'>

const idle: Run = {
  phase: 'idle',
  isCancelling: false,
  logs: [],
  approvals: [],
  result: null,
  problem: null,
  code: '',
}
const mostLines = 5_000
const lookMs = 1_500

/** The one run of this page. It is kept outside: who looks at another room meanwhile finds it as it is then. */
export const run = createStore<Run>(idle)
const change = (part: Partial<Run>) => run.set((now) => ({ ...now, ...part }))

let socket: CodeSocket | undefined
let current = 0

export async function startRun(wanted: Wanted): Promise<void> {
  current += 1
  const mine = current
  const isMine = () => mine === current
  socket?.close()
  keep({ waits: null })
  run.set({ ...idle, phase: 'running', code: wanted.code })
  try {
    const { ticket } = await codeApi.ticket()
    if (!isMine()) return
    socket = openCodeSocket(ticket, wanted, {
      onLog: (level, message) => isMine() && log(level, message),
      onWaiting: (waiting) => isMine() && takeWaiting(waiting),
      onResult: (result) => isMine() && end({ result }),
      onRefused: (reason) => isMine() && end({ problem: words.notBegun(reason) }),
      onLost: () => isMine() && lost(),
    })
  } catch (error) {
    if (isMine()) end({ problem: words.notBegun(messageOf(error)) })
  }
}

/** What waits is ended where it is kept; what runs, by its socket. */
export async function cancelRun(): Promise<void> {
  change({ isCancelling: true })
  const { waits } = kept.get()
  try {
    if (waits !== null) await codeApi.cancel(waits)
    else socket?.cancel()
  } catch (error) {
    // It has ended meanwhile, which is told.
    if (!(error instanceof Refusal)) change({ isCancelling: false })
  }
}

/** Takes up what waited when this page was left. */
export function takeUpWaiting(): void {
  const { waits } = kept.get()
  if (waits === null || run.get().phase !== 'idle') return
  current += 1
  run.set({ ...idle, phase: 'waiting' })
  void follow(waits, current)
}

const log = (level: LogLevel, message: string) =>
  run.set((now) => ({
    ...now,
    logs: [...now.logs, { number: (now.logs.at(-1)?.number ?? 0) + 1, level, message }].slice(-mostLines),
  }))

function takeWaiting({ requestId, approvals }: CodeWaiting): void {
  const isWaiting = approvals.length > 0
  keep({ waits: requestId })
  change({ approvals, phase: isWaiting ? 'waiting' : 'running' })
}

function end(how: Partial<Run>): void {
  socket = undefined
  keep({ waits: null })
  change({ ...how, phase: 'ended', approvals: [], isCancelling: false })
}

/** What waits goes on without us. */
function lost(): void {
  const { waits } = kept.get()
  if (waits === null) end({ problem: words.lost })
  else void follow(waits, current)
}

async function follow(requestId: string, mine: number): Promise<void> {
  while (mine === current) {
    try {
      const told = await codeApi.result(requestId)
      if (mine !== current) return
      if ('success' in told) return takeResult(told)
      takeWaiting(told)
    } catch (error) {
      if (error instanceof Refusal && error.status >= 400 && mine === current)
        return end({ problem: words.notBegun(error.message) })
    }
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

/** Of logs that nobody heard, only the lines are kept. */
function takeResult(result: CodeResult): void {
  const logs = result.logs.map((message, index) => ({ number: index + 1, level: 'info' as const, message }))
  end({ result, ...(run.get().logs.length === 0 && { logs }) })
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
