import { readFile, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, createContext, runInContext } from 'node:vm'
import type { Context } from 'node:vm'

// Fig's specs are programs that say what a command takes. Only what is data in them is taken: a spec is evaluated in a context that
// has nothing but the language, for a second at most, and what comes out of it is text. None of its functions is called.

export type OneOrMany<Thing> = Thing | Thing[]

export interface FigArg {
  name?: string
  description?: string
  template?: OneOrMany<string>
  suggestions?: (string | { name?: OneOrMany<string> })[]
  isOptional?: boolean
  isVariadic?: boolean
  /** Whether Fig would have asked the machine for values. */
  generators?: boolean
}

export interface FigOption {
  name?: OneOrMany<string>
  description?: string
  args?: OneOrMany<FigArg>
  isRequired?: boolean
  isPersistent?: boolean
  isRepeatable?: boolean | number
  isDangerous?: boolean
  requiresSeparator?: boolean | string
  requiresEquals?: boolean
  hidden?: boolean
}

export interface FigCommand {
  name?: OneOrMany<string>
  description?: string
  subcommands?: FigCommand[]
  options?: FigOption[]
  args?: OneOrMany<FigArg>
  /** The rest of it is in another file; or it is another program's. */
  loadSpec?: string
  hidden?: boolean
}

const largest = 4 << 20
/** A second of work. On a busy machine that may take longer, and says nothing against a spec. */
const workMs = 1_000
const patienceMs = 10_000

/** In the package that is installed along with us. */
export const figFolder = (): string => dirname(fileURLToPath(import.meta.resolve('@withfig/autocomplete')))

/** What Fig knows of a program, or of a part (`aws/s3`). Undefined when it knows nothing; rejects when its spec is broken. */
export async function loadFigSpec(name: string, folder: string): Promise<FigCommand | undefined> {
  if (!/^[\w@+-][\w.@+-]*(\/[\w@+-][\w.@+-]*)*$/.test(name)) return undefined
  const file = await fileOf(join(folder, name))
  return file === undefined ? undefined : evaluate(await readFile(file, 'utf8'), name)
}

async function fileOf(path: string): Promise<string | undefined> {
  const plain = await stat(`${path}.js`).catch(() => undefined)
  if (plain?.isFile() && plain.size <= largest) return `${path}.js`
  const names = await readdir(path).catch(() => [])
  const newest = names
    .filter((name) => /^\d+\.\d+\.\d+\.js$/.test(name))
    .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .at(-1)
  return newest && join(path, newest)
}

/** Cuts a spec down to what is data, from inside: a spec may refer to itself, and be as large as it likes. */
const copy = `(spec) => {
  const kept = ['name', 'description', 'subcommands', 'options', 'args', 'loadSpec', 'template', 'suggestions', 'isOptional', 'isVariadic',
    'isRequired', 'isPersistent', 'isRepeatable', 'isDangerous', 'requiresSeparator', 'requiresEquals', 'hidden']
  let room = 100000
  const take = (thing, depth) => {
    if (typeof thing === 'string') return thing.slice(0, 500)
    if (typeof thing !== 'object' || thing === null) return typeof thing === 'function' ? undefined : thing
    if (depth > 20 || --room < 0) return undefined
    if (Array.isArray(thing)) return thing.slice(0, 2000).map((one) => take(one, depth + 1)).filter((one) => one != null)
    const taken = thing.generators ? { generators: true } : {}
    for (const key of kept) if (key in thing) taken[key] = take(thing[key], depth + 1)
    return taken
  }
  return JSON.stringify(take(spec, 0))
}`

function evaluate(code: string, name: string): FigCommand | undefined {
  const [end, names = ''] = /export\s*\{([^}]*)\};?\s*$/.exec(code) ?? []
  const [, variable] = /([\w$]+) as default\b/.exec(names) ?? []
  if (end === undefined || variable === undefined)
    throw new Error(`Fig's spec of ${name} is not what it used to be.`)
  const body = code.slice(0, code.lastIndexOf(end))
  const context = createContext(constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
  })
  try {
    const text = runForAWhile(`(() => {'use strict';${body}\nreturn (${copy})(${variable})})()`, context)
    const spec: FigCommand | null | undefined = typeof text === 'string' ? JSON.parse(text) : undefined
    return typeof spec === 'object' && spec !== null ? spec : undefined
  } catch (error) {
    throw new Error(`Fig's spec of ${name} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** Node counts the time that passes, also while others have the machine: what was cut off without having worked goes on again. */
function runForAWhile(code: string, context: Context): unknown {
  const began = Date.now()
  for (;;) {
    const before = process.cpuUsage()
    try {
      return runInContext(code, context, { timeout: workMs })
    } catch (error) {
      const { user, system } = process.cpuUsage(before)
      const hasWorked = (user + system) / 1_000 > workMs / 2
      if (!isTimeOut(error) || hasWorked || Date.now() - began > patienceMs) throw error
    }
  }
}

const isTimeOut = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

/** What was thrown in there is none of our errors. */
function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  return typeof message === 'string' ? message.slice(0, 200) : 'it threw'
}
