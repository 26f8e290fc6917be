import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Source } from '#contract/source.ts'
import { ask, open } from './client.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'
import { printJson } from './output.ts'
import type { Screen } from './screen.ts'
import { wordsOf } from './source-health.ts'

export interface AddOptions {
  url?: string
  transport?: string
  document?: string
  module?: string
  env?: string[]
  header?: string[]
  cwd?: string
  json?: boolean
}

/** Registers a source, and says how it is. */
export async function addSource(
  connection: Connection,
  screen: Screen,
  name: string,
  command: string[],
  options: AddOptions,
): Promise<void> {
  const body = { name, config: configOf(command, options) }
  const source = await ask(connection, '/mcp/add', Source, { method: 'POST', body })
  if (options.json) return printJson(source)
  screen.write(
    `Added ${name}: ${source.health ? wordsOf(source.health) : 'its machine has not told how it is'}\n`,
  )
}

export async function removeSource(
  connection: Connection,
  screen: Screen,
  name: string,
  { json }: { json?: boolean },
): Promise<void> {
  await open(connection, `/mcp/${encodeURIComponent(name)}`, { method: 'DELETE' })
  if (json) return printJson({ removed: name })
  screen.write(`Removed ${name}.\n`)
}

function configOf([command, ...args]: string[], options: AddOptions): object {
  const { url, document, module, cwd } = options
  const transport = options.transport ?? usual(command, options)
  if (!transport)
    throw new Failure('Say where the tools come from: -- COMMAND ARGS…, --url, --document or --module')
  return {
    transport,
    ...(command !== undefined && { command, args }),
    ...(url !== undefined && { url }),
    ...(document !== undefined && { document: textIn(document) }),
    ...(module !== undefined && { module: resolve(module) }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    env: pairs('--env', options.env ?? []),
    headers: pairs('--header', options.header ?? []),
  }
}

function usual(command: string | undefined, { url, document, module }: AddOptions): string | undefined {
  if (document !== undefined) return 'openapi'
  if (module !== undefined) return 'langchain'
  if (url !== undefined) return /^wss?:/i.test(url) ? 'websocket' : 'http'
  return command === undefined ? undefined : 'stdio'
}

function pairs(option: string, given: string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new Failure(`${option} "${pair}" has no value: write ${option} name=value`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
