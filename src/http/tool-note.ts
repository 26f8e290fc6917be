import type { ToolInput, ToolName } from '#contract/workspace-tool.ts'
import type { AuditNote } from '#db/audit.ts'
import { Problem } from '#domain/problem.ts'
import { redactText } from '#lib/redact.ts'
import { statusOf } from './problems.ts'

// What the audit keeps of a call: what it was about and what came of it; never contents, values of variables or results.

const longest = 1_000
const shortened = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text

type Told = Record<string, unknown>
const about: { [Name in ToolName]: (input: ToolInput<Name>) => Told } = {
  search: ({ pattern, type, path }) => ({
    pattern: shortened(pattern),
    type,
    ...(path && { path: shortened(path) }),
  }),
  read: ({ path, range }) => ({ path: shortened(path), ...(range && { range }) }),
  write: ({ path, content }) => ({ path: shortened(path), bytes: Buffer.byteLength(content) }),
  edit: ({ path, all }) => ({ path: shortened(path), ...(all && { all }) }),
  list: ({ path }) => ({ path: shortened(path) }),
  command: ({ command, cwd, timeout, env, stream }) => ({
    command: shortened(redactText(command.slice(0, 4 * longest))),
    timeout,
    ...(cwd && { cwd: shortened(cwd) }),
    ...(env && { variables: Object.keys(env).slice(0, 100) }),
    ...(stream && { stream }),
  }),
  output: ({ handle, offset }) => ({ handle, offset }),
}

export const subjectOf = <Name extends ToolName>(tool: Name, input: ToolInput<Name>): Told =>
  about[tool](input)

/** What came of it, when that was nothing. */
export function outcomeOf(
  error: unknown,
  asker: Pick<AbortSignal, 'aborted'>,
): Pick<AuditNote, 'outcome'> & { code: string } {
  if (asker.aborted) return { outcome: 'failed', code: 'hung_up' }
  if (!(error instanceof Problem)) return { outcome: 'failed', code: 'internal' }
  const status = statusOf[error.code]
  return { outcome: status < 500 && status !== 408 ? 'refused' : 'failed', code: error.code }
}
