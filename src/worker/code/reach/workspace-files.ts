import type { inWords } from '#contract/workspace-mcp.ts'
import { Listed, ReadAnswer } from '#contract/workspace-tool.ts'
import type { ToolResult } from '#contract/tool.ts'
import type { Registry } from '#tools/port.ts'
import { asCodeFailure } from './call-failure.ts'
import { checkArrival, checkSize, fileAsked, fileFailed } from './file-grant.ts'
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

  async function ask({ verb, path, content }: FileAsked, one: OneCall): Promise<ToolResult> {
    const caller = inCode(run, one)
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

function refused(path: string, said: unknown) {
  const { error } = (said ?? {}) as { error?: { code?: string; message?: string } }
  return fileFailed(error?.code ?? 'failed', error?.message ?? `${path} could not be reached`, path)
}

const tooMuch = (path: string) => fileFailed('file_too_large', `${path} is too large to be had at once`, path)
