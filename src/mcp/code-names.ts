import { RUN_CODE } from '#contract/tool.ts'
import type { Logger } from '#lib/log.ts'
import type { Caller, Registry } from '#tools/port.ts'

/** How code writes the tools of a caller. */
export interface CodeNames {
  /** `mcp.github.createIssue`, for `github.create_issue`. */
  pathOf(tool: string): string | undefined
  /** `github.create_issue`, for `github.createIssue`. */
  toolOf(path: string): string | undefined
  /** Its declaration, in TypeScript. */
  toolText(tool: string): string | undefined
}

/** Undefined: code is not for this caller, or does not run at present. */
export type CodeNamesOf = (caller: Caller) => Promise<CodeNames | undefined>

export function openCodeNames(
  registry: Registry,
  open: ((caller: Caller) => Promise<CodeNames>) | undefined,
  log: Logger,
): CodeNamesOf {
  return async (caller) => {
    if (!open || !registry.find(caller, RUN_CODE)) return undefined
    try {
      return await open(caller)
    } catch (error) {
      log.warn({ err: error }, 'tools are told without how code calls them')
      return undefined
    }
  }
}
