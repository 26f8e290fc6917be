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
  /** All of ours, beside whatever else is in it by now. Throws when it cannot be written. */
  write(rows: readonly SourceRow[]): void
}

const mostBytes = 16 * 1024 * 1024

export function openConfigFile(home: string, log: Logger): ConfigFile {
  const file = configFileOf(home)
  /** As it was read last. */
  let found = new Map<string, Entry>()
  /** What of it is ours, as we wrote it. */
  const ours = new Map<string, string>()

  /** Nothing when it is not understood: then it is told, and left alone. */
  function understood(content: string | undefined): Content | undefined {
    try {
      const tree: unknown = content === undefined ? {} : JSON.parse(content)
      if (!isMap(tree)) throw new Error('it is not a JSON object')
      const { mcpServers = {}, ...besides } = tree
      if (!isMap(mcpServers) || !Object.values(mcpServers).every(isMap))
        throw new Error('mcpServers must be an object of objects')
      return { besides, entries: new Map(Object.entries(mcpServers as Record<string, Entry>)) }
    } catch (error) {
      leaveAlone(error)
      return undefined
    }
  }

  function leaveAlone(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ file, reason }, 'mcp-config.json is not understood, and is left alone until it is mended')
  }

  return {
    read() {
      found = new Map()
      try {
        found = understood(contentOf(file))?.entries ?? found
      } catch (error) {
        leaveAlone(error)
      }
      return found
    },
    settled(name) {
      const entry = found.get(name)
      if (entry) ours.set(name, JSON.stringify(entry))
    },
    write(rows) {
      const before = contentOf(file)
      const now = understood(before)
      if (!now) return
      const registered = new Set(rows.map(({ name }) => name))
      const kept = [...now.entries].filter(([name]) => registered.has(name) || !ours.has(name))
      const entries = new Map<string, Entry>(kept)
      const wrote = new Map<string, string>()
      for (const row of rows) {
        const entry = entryOf(row)
        const text = JSON.stringify(entry)
        wrote.set(row.name, text)
        // Somebody wrote something else there since, and we have nothing new to say: it is taken at the next start.
        if (ours.get(row.name) !== text || !entries.has(row.name)) entries.set(row.name, entry)
      }
      const next = `${JSON.stringify({ ...now.besides, mcpServers: Object.fromEntries(entries) }, null, 2)}\n`
      const isNews = before !== next && (before !== undefined || rows.length > 0)
      if (isNews) replaceFile(file, next)
      for (const name of ours.keys()) if (!registered.has(name)) ours.delete(name)
      for (const [name, text] of wrote) {
        ours.set(name, text)
        found.delete(name)
      }
    },
  }
}

interface Content {
  besides: Record<string, unknown>
  entries: Map<string, Entry>
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
