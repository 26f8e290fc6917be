import type {
  CommandAnswer,
  Edited,
  Found,
  Listed,
  OutputRest,
  ReadAnswer,
  Written,
} from './workspace-tool.ts'

const path = { type: 'string', description: 'Relative to the root of the workspace' }
const hash = {
  type: 'string',
  description: 'SHA-256 of the file as it was read: it is only changed if it is still that',
}

const properties = (required: string[], known: Record<string, object>) => ({
  type: 'object',
  properties: known,
  required,
  additionalProperties: false,
})

const reads = { readOnlyHint: true, openWorldHint: false }
const writes = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }

/** A tool of ours as the Model Context Protocol knows it, and its answer in words for a model. */
export interface McpTool {
  name: string
  title: string
  description: string
  inputSchema: object
  annotations: object
}

export const mcpTools: readonly McpTool[] = [
  {
    name: 'read_file',
    title: 'Read a file',
    description: 'Reads a text file of the workspace, or some of its lines.',
    inputSchema: properties(['path'], {
      path,
      range: {
        ...properties(['start', 'end'], {
          start: { type: 'integer', minimum: 1 },
          end: { type: 'integer', minimum: 1 },
        }),
        description: 'Lines, from 1, both included',
      },
    }),
    annotations: { ...reads, idempotentHint: true },
  },
  {
    name: 'write_file',
    title: 'Write a file',
    description: 'Writes a whole file. Folders on the way are made; a file that is there is replaced.',
    inputSchema: properties(['path', 'content'], { path, content: { type: 'string' }, expectedHash: hash }),
    annotations: { ...writes, idempotentHint: true },
  },
  {
    name: 'edit_file',
    title: 'Edit a file',
    description:
      'Replaces text in a file. The text must be there exactly once, unless `first` or `all` is true.',
    inputSchema: properties(['path', 'find', 'replace'], {
      path,
      find: { type: 'string', minLength: 1 },
      replace: { type: 'string' },
      first: { type: 'boolean', description: 'Replace the first of several' },
      all: { type: 'boolean', description: 'Replace all of them' },
      expectedHash: hash,
    }),
    annotations: { ...writes, idempotentHint: false },
  },
  {
    name: 'list_files',
    title: 'List a folder',
    description: 'Lists what is in a folder of the workspace.',
    inputSchema: properties([], { path: { ...path, default: '.' } }),
    annotations: { ...reads, idempotentHint: true },
  },
  {
    name: 'search_files',
    title: 'Search files',
    description:
      'Finds files by their names (glob, regex, exact) or by what is in them (content, a regular expression).',
    inputSchema: properties(['pattern'], {
      pattern: { type: 'string', minLength: 1 },
      type: { enum: ['glob', 'regex', 'exact', 'content'], default: 'glob' },
      caseSensitive: { type: 'boolean', default: true },
      limit: { type: 'integer', minimum: 1, maximum: 10_000, default: 1000 },
      includeIgnored: { type: 'boolean', description: 'Also what .gitignore leaves out, and what is hidden' },
      path: { ...path, description: 'Only below this folder' },
    }),
    annotations: { ...reads, idempotentHint: true },
  },
  {
    name: 'execute_command',
    title: 'Run a command',
    description:
      'Runs a command with `sh -c` in the workspace, and answers with what it said and how it ended.',
    inputSchema: properties(['command'], {
      command: { type: 'string', minLength: 1 },
      timeout: {
        type: 'integer',
        minimum: 1,
        maximum: 600_000,
        default: 30_000,
        description: 'Milliseconds',
      },
      cwd: { ...path, description: 'The folder to run it in' },
      env: { type: 'object', additionalProperties: { type: 'string' } },
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
]

/** In words: a model reads them, and a program had better ask the tool port itself. */
export const inWords = {
  read_file: ({ content, lines, size, hash: sha256, range }: ReadAnswer) => [
    content,
    `[${range ? `lines ${range.start}–${range.end} of ` : ''}${lines} lines, ${size} bytes, sha256 ${sha256}]`,
  ],
  write_file: ({ path: place, size, created, hash: sha256 }: Written) => [
    `${created ? 'Made' : 'Replaced'} ${place} (${size} bytes, sha256 ${sha256})`,
  ],
  edit_file: ({ path: place, replacements, diff, hash: sha256 }: Edited) => [
    `${replacements} replaced in ${place} (now sha256 ${sha256})\n${diff}`,
  ],
  list_files: ({ path: place, entries, truncated }: Listed) => [
    `${place}: ${entries.length} entries${truncated ? ', and more that are not shown' : ''}\n` +
      entries.map(({ name, kind, size }) => `${kind}\t${kind === 'file' ? size : ''}\t${name}\n`).join(''),
  ],
  search_files: ({ files, truncated }: Found) => [
    files
      .flatMap(({ path: place, matches }) =>
        matches ? matches.map(({ line, text }) => `${place}:${line}: ${text}\n`) : [`${place}\n`],
      )
      .join('') + (truncated ? '[and more: narrow the search]' : files.length === 0 ? '[nothing found]' : ''),
  ],
  execute_command: (ran: CommandAnswer) => [
    ran.stdout + leftOut(ran.stdoutRest),
    ...(ran.stderr ? [`[stderr]\n${ran.stderr}${leftOut(ran.stderrRest)}`] : []),
    ran.timedOut
      ? '[timed out, and was killed]'
      : ran.signal
        ? `[ended by ${ran.signal}]`
        : `[exit code ${ran.exitCode}]`,
  ],
} as const

const leftOut = (rest: OutputRest | undefined) =>
  rest ? `\n[cut here: ${rest.said} bytes were said in all]` : ''
