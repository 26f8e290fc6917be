import type { Principal } from '#contract/access.ts'
import type { ImportSources, ImportedSources } from '#contract/source.ts'
import type { Registry } from '#tools/port.ts'
import type { Authorizing } from './authorize.ts'
import type { CallerOf } from './caller.ts'
import type { Sources } from './sources.ts'

/** All that a machine has of tools; main puts it together when it is first needed. */
export interface MachineTools {
  registry: Registry
  sources: Sources
  callerOf: CallerOf
  authorizing(): Promise<Authorizing>
  /** Whether a call here waits for the answer to it. */
  isWaitedFor(approvalId: string): boolean
  /** From the configurations of other programs on this machine. */
  importSources(by: string, wanted: ImportSources): Promise<ImportedSources>
  /** Our MCP endpoint. */
  mcp(request: Request, by: Principal): Promise<Response>
}
