import type { CodeErrorCode, CodeErrorType, Diagnostic, LogLevel } from '#contract/execute.ts'
import type { Tool } from '#contract/tool.ts'

// Code mode as others see it: it checks code, runs it, and can put a run away and take it up again. It knows no database, no
// registry and no network: whatever code reaches for comes to `CodeHands.call`.

export type CallKind = 'mcp' | 'network' | 'files' | 'timer'

export interface CodeWanted {
  /** Whose it is: nobody keeps the others waiting by asking for more. */
  owner: string
  code: string
  isTypeScript: boolean
  isChecked: boolean
  api: CodeApi
  timeoutMs: number
  memoryBytes: number
  /** CPU time over wall time: 0.5 is half of a core. */
  cpuQuota: number
  context: unknown
  /** What its clock shows, standing still; null for the real one. */
  clockMs: number | null
  /** Where its random numbers begin. */
  seed: readonly number[]
  /** Give it its time once more. */
  isExtendable?: boolean
}

/** The API that code is written against: what a caller's tools are, as TypeScript. */
export interface CodeApi {
  /** Known by it: the same tools give the same. */
  hash: string
  /** All of it, as a `.d.ts` for the checker and for editors. */
  text: string
  /** Of one namespace, of one tool; undefined where there is none. */
  namespaceText(namespace: string): string | undefined
  toolText(tool: string): string | undefined
  /** `mcp.github.createIssue`, for `github.create_issue`. */
  pathOf(tool: string): string | undefined
  /** `github.create_issue`, for `github.createIssue`. */
  toolOf(path: string): string | undefined
  /** What positional arguments mean. Throws CodeFailed when they fit no way. */
  argsOf(tool: string, given: readonly unknown[]): Record<string, unknown>
}

export interface CodeHands {
  /**
   * `name` is the path that code has written (`github.createIssue`), `given` its arguments. Resolves with what JSON can say.
   * Rejects with CodeFailed for what the code should see. `call` counts the calls of a run from 1, and is the same again when
   * the run is taken up from where it was frozen.
   */
  call(
    call: number,
    kind: CallKind,
    name: string,
    given: readonly unknown[],
    signal: AbortSignal,
  ): Promise<unknown>
  log(level: LogLevel, message: string): void
}

/** An error that the code sees, and that is the end of the run when it does not catch it. */
export class CodeFailed extends Error {
  readonly type: CodeErrorType
  readonly code: CodeErrorCode
  readonly details: Record<string, unknown>
  constructor(
    type: CodeErrorType,
    code: CodeErrorCode,
    message: string,
    details: Record<string, unknown> = {},
  ) {
    super(message)
    this.name = 'CodeFailed'
    this.type = type
    this.code = code
    this.details = details
  }
}

export interface Meter {
  executionMs: number
  cpuMs: number
  memoryBytes: number
  calls: number
}

export type CodeEnding =
  | { isFine: true; result: unknown; meter: Meter }
  | {
      isFine: false
      type: CodeErrorType
      code: CodeErrorCode
      message: string
      details: Record<string, unknown> & { diagnostics?: Diagnostic[] }
      /** It never got its turn. Said here and not in `details`, where code itself can say what it likes. */
      isNotBegun?: true
      meter: Meter
    }

export interface CodeRun {
  /** Never rejects. Undefined once it was frozen: it goes on elsewhere then. */
  ended: Promise<CodeEnding | undefined>
  /** Takes it out for good, as soon as it waits. Undefined when it has ended meanwhile. Its hands' calls go on, and nobody hears of them. */
  freeze(): Promise<FrozenRun | undefined>
  /** Ends it. What it called is told by its signal. */
  cancel(message: string): void
}

/** A run, put away. It is bytes and JSON: any process that has the image, or can get it, takes it up. */
export interface FrozenRun {
  image: string
  /** Compressed, which may take a while. */
  memory: Promise<Uint8Array>
  /** JSON: sizes, meters, the time that is left, limits, what is needed to tell its own lines. */
  state: Record<string, unknown>
}

/** An image as it is stored, once for each hash. */
export interface StoredImage {
  hash: string
  /** Compressed. */
  bytes: Uint8Array
}

/** What a call has come to, while nobody was there: it is told to the run when it is taken up. */
export type Outcome = { call: number } & ({ value: unknown } | { failed: CodeFailed })

/** There are too many already. */
export class CodeBusy extends Error {}

export interface CodeMode {
  /** Writes the API of these tools; kept by what they are. */
  api(tools: readonly Tool[]): CodeApi
  /** A result was seen: where a tool declares none, the API tells what they look like. */
  observe(tool: string, result: unknown): void
  /** What is wrong with TypeScript that is not run. Rejects with CodeBusy, and with the signal's reason. */
  check(
    wanted: Pick<CodeWanted, 'owner' | 'code' | 'api'>,
    signal: AbortSignal,
  ): Promise<readonly Diagnostic[]>
  /** Throws CodeBusy. */
  run(wanted: CodeWanted, hands: CodeHands): CodeRun
  /**
   * Takes up a frozen run. It goes on when the first outcome is there; more of them come by `settle`. Rejects with CodeBusy, and with
   * an Error when the image is neither ours nor `stored`.
   */
  thaw(
    frozen: FrozenRun,
    hands: CodeHands,
    more: { owner: string; outcomes: readonly Outcome[]; stored?: StoredImage },
  ): Promise<CodeRun & { settle(outcome: Outcome): void }>
  image(hash: string): Promise<StoredImage | undefined>
  /** Of threads and runs, for Prometheus and the status page. */
  load(): { threads: number; busy: number; waiting: number; live: number }
  close(): Promise<void>
}
