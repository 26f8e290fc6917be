import type { ToolInput, ToolName } from '#contract/workspace-tool.ts'
import { redactText } from '#lib/redact.ts'

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
