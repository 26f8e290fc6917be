import type { CodeApi, CodeHands, CodeMode } from '#codemode/port.ts'
import type { Config } from '#config/config.ts'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import type { Caller, InCode, Registry } from '#tools/port.ts'

export interface ReachNeeds {
  registry: Registry
  observe: CodeMode['observe']
  config: () => Config
}

/** One run, and who it is for. A session of the caller is where its files are. */
export interface ReachOf {
  runId: string
  caller: Caller
  api: CodeApi
  grants: CodeGrants
}

export interface Reach {
  /**
   * As CodeHands.call: rejects with CodeFailed for what the code should see, and with AwaitsPerson when somebody has to be asked: of
   * `mcp` and of `files`. `consent` is the answer to that, when the same call is made again.
   */
  call(...given: [...Parameters<CodeHands['call']>, consent?: InCode['consent']]): Promise<unknown>
  /** What was reached so far, for the audit: hosts and tools, and how often. */
  reached(): Record<string, number>
}

/** What the code of one run can reach, and how often. */
export function openReach(_needs: ReachNeeds, _of: ReachOf): Reach {
  throw new Error('not yet')
}
