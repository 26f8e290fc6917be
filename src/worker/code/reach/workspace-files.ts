import type { inWords } from '#contract/workspace-mcp.ts'
import { Listed, ReadAnswer } from '#contract/workspace-tool.ts'
import type { ToolResult } from '#contract/tool.ts'
import type { Registry } from '#tools/port.ts'
import { asCodeFailure } from './call-failure.ts'
import { checkArrival, checkSize, fileAsked, fileFailed, violation } from './file-grant.ts'
import type { FileAsked } from './file-grant.ts'
import type { ReachOf } from './open-reach.ts'
import { inCode } from './tools.ts'
import type { OneCall } from './tools.ts'

const toolFor = {
  read: 'workspace.read_file',
  write: 'workspace.write_file',
  list: 'workspace.list_files',
} as const satisfies Record<FileAsked['verb'], `workspace.${keyof typeof inWords}`>

export interface FileReach {
  call(name: string, given: readonly unknown[], one: OneCall): Promise<unknown>
}

/**
 * The files of the session's workspace, by the same tools that are there for everyone: what an agent may not do without being asked about
 * is asked about here too, and everything is in the audit.
 */
export function openWorkspaceFiles(registry: Registry, run: ReachOf): FileReach {
  const { files } = run.grants

  async function ask({ verb, path, content, grants }: FileAsked, one: OneCall): Promise<ToolResult> {
    const caller = inCode(run, one, grants)
    // Whoever gave leave to write there has said yes.
    const asking = verb === 'write' && caller.kind === 'person' ? { ...caller, confirmed: true } : caller
    const args = verb === 'write' ? { path, content } : { path }
    try {
      const { signal, beforeSend } = one
      return await registry.call(asking, toolFor[verb], args, { signal, ...(beforeSend && { beforeSend }) })
    } catch (error) {
      one.signal.throwIfAborted()
      throw asCodeFailure(error, toolFor[verb])
    }
  }

  return {
    async call(name, given, one) {
      const asked = fileAsked(files, true, name, given)
      const { structuredContent, ...answer } = await ask(asked, one)
      if (answer.isError) throw refused(asked.path, structuredContent)
      // What was read is held to the grants below; what is written, where it is written: later would be too late.
      if (asked.verb === 'write') return null
      if (structuredContent === undefined) throw tooMuch(asked.path)
      if (asked.verb === 'list') {
        const { path, entries } = Listed.parse(structuredContent)
        checkArrival(asked.grants, asked.path, path)
        return entries.map(({ name: entry, kind }) => ({ name: entry, type: kind }))
      }
      const { path, content, size } = ReadAnswer.parse(structuredContent)
      checkArrival(asked.grants, asked.path, path)
      checkSize(files, asked.path, size)
      return content
    },
  }
}

interface Refusal {
  code?: string
  message?: string
  context?: { field?: string }
}

function refused(path: string, said: unknown) {
  const { error } = (said ?? {}) as { error?: Refusal }
  if (error?.code === 'path_not_granted')
    return violation(path, 'it is a link that leads elsewhere, or a file that has other names too')
  if (error?.code === 'tool_input' && error.context?.field === 'within') return tooOld(path)
  return fileFailed(error?.code ?? 'failed', error?.message ?? `${path} could not be reached`, path)
}

/** It was begun by a version that could not hold code to its paths. */
const tooOld = (path: string) =>
  fileFailed(
    'workspace_outdated',
    `${path} was not written: what serves this workspace was started by an older Signalbox, which cannot keep code to the paths that it was given. Stop the workspace, and it is started anew when it is needed`,
    path,
  )

const tooMuch = (path: string) => fileFailed('file_too_large', `${path} is too large to be had at once`, path)
