import type { Principal } from '#contract/access.ts'
import type { CodeApi } from '#codemode/port.ts'
import type {
  ApiQuery,
  CheckCode,
  CheckedCode,
  CodeResult,
  CodeWaiting,
  ExecuteCode,
  LogLevel,
} from '#contract/execute.ts'
import type { Caller } from '#tools/port.ts'

export interface CodeEars {
  /** Nobody hears any more: what runs for them is cancelled, and what waits for a person is not. */
  signal: AbortSignal
  onLog?: (level: LogLevel, message: string) => void
  /** It waits for a person once more, while `ended` is waited for. */
  onWaiting?: (waiting: CodeWaiting) => void
  /** What the run is to be known by, so that it can be cancelled from its beginning; it gets an id otherwise. */
  requestId?: string
}

/** It has ended, or it is frozen until a person answers. `isNotBegun`: nothing of it was run, because there was no room. */
export type CodeAnswer = { result: CodeResult; isNotBegun?: true } | { waiting: CodeWaiting }

/** Code mode of this machine, with everything that it needs. */
export interface MachineCode {
  /** May throw Problems: not admitted, too many already. What goes wrong in the code is a result. */
  execute(by: Principal, wanted: ExecuteCode, ears: CodeEars): Promise<CodeAnswer>
  /** Resolves when it has ended, wherever that is. Rejects when the signal does, and with a Problem when there is none that is theirs. */
  ended(by: Principal, requestId: string, ears: CodeEars): Promise<CodeResult>
  /** Ends a run that waits, or runs here. False when there is none that is theirs. */
  cancel(by: Principal, requestId: string): Promise<boolean>
  /** What is wrong with code that is not run. Throws Problems: not theirs, too many already. */
  check(by: Principal, wanted: CheckCode, signal: AbortSignal): Promise<CheckedCode>
  /** The API of their tools, as TypeScript. */
  api(by: Principal, query: ApiQuery): Promise<string>
  /** The same for whoever calls tools here: how code names them, and the declaration of each. */
  apiFor(caller: Caller): Promise<CodeApi>
  metrics(): Promise<string>
  close(): Promise<void>
}
