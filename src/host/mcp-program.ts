import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packagedRipgrep } from '#lib/packaged-ripgrep.ts'
import { openTools } from './open-tools.ts'
import { serveMcp } from './mcp-stdio.ts'
import { openPrograms } from './programs.ts'
import { unattended } from './unattended-tools.ts'

/** Its commands carry this, and keep whatever else marks them. */
const markName = 'SIGNALBOX_MCP'

/**
 * `host.mjs mcp [--root FOLDER] [--rules JSON]`: the tools of one folder as an MCP server on stdin and stdout, for any client. Resolves with
 * the exit code when the client is gone.
 */
export async function runMcp(words: readonly string[]): Promise<number> {
  const options = {
    root: { type: 'string', default: '.' },
    rules: { type: 'string', default: '[]' },
  } as const
  const { values } = parseArgs({ args: [...words], options })
  const root = resolve(values.root)
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    process.stderr.write(`There is no folder ${root}\n`)
    return 1
  }
  const scratch = mkdtempSync(join(tmpdir(), 'signalbox-mcp-'))
  const programs = openPrograms(markName)
  const tools = openTools({
    root,
    rg: findRipgrep(),
    scratch,
    env: Object.fromEntries(
      Object.entries(process.env).filter((pair): pair is [string, string] => !!pair[1]),
    ),
    commandRules: () => JSON.parse(values.rules),
    start: (program, mark) => programs.start(program, mark),
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.stdin.destroy())
  try {
    await serveMcp(unattended(tools), process.stdin, process.stdout).catch(() => undefined)
    return 0
  } finally {
    await tools.close()
    await programs.endAll(0)
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Beside us, as it is inside walls, or among our packages, or on PATH. */
function findRipgrep(): string | null {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'rg'))
  const files = [join(import.meta.dirname, 'rg'), packagedRipgrep(), ...onPath]
  return files.find((file) => file && statSync(file, { throwIfNoEntry: false })?.isFile()) ?? null
}
