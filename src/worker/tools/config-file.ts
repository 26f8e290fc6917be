import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { SourceRow } from '#db/sources.ts'
import { replaceFile } from '#lib/durable-file.ts'
import { hasCode } from '#lib/error-code.ts'
import { entryOf } from './entry.ts'
import type { Entry } from './entry.ts'

// `mcp-config.json` in the home: sources in the shape that most programs read.

export const configFileOf = (home: string): string => join(home, 'mcp-config.json')

export interface ConfigFile {
  /** What is in it, by name. What is not understood is told, and the file is left alone until it is mended. */
  read(): ReadonlyMap<string, Entry>
  /** It is one of ours now, or nobody's: what stood there is no longer kept as it was. */
  settled(name: string): void
  /** All of ours, beside what is not ours. Throws when it cannot be written. */
  write(rows: readonly SourceRow[]): void
}

const mostBytes = 16 * 1024 * 1024

export function openConfigFile(home: string, log: Logger): ConfigFile {
  const file = configFileOf(home)
  /** What somebody wrote there and we have not taken: it stays as it is. */
  let theirs = new Map<string, Entry>()
  let besides: Record<string, unknown> = {}
  let isUnderstood = false

  function read(): ReadonlyMap<string, Entry> {
    isUnderstood = false
    try {
      const content = contentOf(file)
      const tree: unknown = content === undefined ? {} : JSON.parse(content)
      if (!isMap(tree)) throw new Error('it is not a JSON object')
      const { mcpServers = {}, ...others } = tree
      if (!isMap(mcpServers) || !Object.values(mcpServers).every(isMap))
        throw new Error('mcpServers must be an object of objects')
      isUnderstood = true
      besides = others
      theirs = new Map(Object.entries(mcpServers as Record<string, Entry>))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ file, reason }, 'mcp-config.json is not understood, and is left alone until it is mended')
      theirs = new Map()
    }
    return theirs
  }

  return {
    read,
    settled: (name) => void theirs.delete(name),
    write(rows) {
      if (!isUnderstood) read()
      if (!isUnderstood) {
        contentOf(file) // throws when it is the place that is bad, and not what somebody wrote there
        return
      }
      const ours = Object.fromEntries(rows.map((row) => [row.name, entryOf(row)]))
      const next = `${JSON.stringify({ ...besides, mcpServers: { ...Object.fromEntries(theirs), ...ours } }, null, 2)}\n`
      const before = contentOf(file)
      if (before === next || (before === undefined && rows.length === 0)) return
      replaceFile(file, next)
    },
  }
}

function contentOf(file: string): string | undefined {
  try {
    if (statSync(file).size > mostBytes) throw new Error('it is larger than 16 MB')
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
