import type { Agent } from '../../../src/contract/agent.ts'
import type { Capability } from '../../../src/contract/capability.ts'

export interface Word {
  text: string
  /** What stands there is the name of an argument that is needed and not given yet. */
  isMissing: boolean
}

type Given = Record<string, unknown>

/**
 * What a program is going to be started with, as far as it is known. The server fills the same template by itself and refuses
 * what must not be in it: this only shows.
 */
export function commandLine(
  { args, binaryPath }: Pick<Agent, 'args' | 'binaryPath'>,
  { commandTokens, argsSchema }: Pick<Capability, 'commandTokens' | 'argsSchema'>,
  given: Given,
): Word[] {
  const name = binaryPath?.split('/').at(-1) ?? ''
  const [first, ...rest] = commandTokens ?? []
  const namesProgram = first !== undefined && (first === name || first === binaryPath)
  const tokens = namesProgram ? rest : (commandTokens ?? [])
  return [
    ...[...(name ? [name] : []), ...args].map((text) => ({ text, isMissing: false })),
    ...tokens.flatMap((token) => wordsOf(token, argsSchema, given)),
  ]
}

const spread = /^\{\{([A-Za-z_][A-Za-z0-9_.-]*)\.\.\.\}\}$/
const slot = /\{\{([A-Za-z_][A-Za-z0-9_.-]*)\}\}/g

function wordsOf(token: string, schema: Capability['argsSchema'], given: Given): Word[] {
  const name = spread.exec(token)?.[1]
  if (name !== undefined) return spreadWords(name, schema, given).map((text) => ({ text, isMissing: false }))
  let isMissing = false
  const text = token.replaceAll(slot, (_, wanted: string) => {
    const value = own(given, wanted)
    isMissing ||= value === undefined || value === null
    return isMissing ? `‹${wanted}›` : textOf(value)
  })
  return [{ text, isMissing }]
}

function spreadWords(name: string, schema: Capability['argsSchema'], given: Given): string[] {
  const property = own(own(schema, 'properties'), name)
  const flag = own(property, 'x-flag')
  const value = own(given, name)
  return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((item) => {
    if (item === undefined || item === null || item === false) return []
    if (typeof flag !== 'string') return [textOf(item)]
    if (item === true) return [flag]
    return own(property, 'x-joined') === true ? [`${flag}=${textOf(item)}`] : [flag, textOf(item)]
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const own = (of: unknown, key: string): unknown =>
  typeof of === 'object' && of !== null && Object.hasOwn(of, key)
    ? (of as Record<string, unknown>)[key]
    : undefined

const plain = /^[A-Za-z0-9_@%+=:,./-]+$/

/** A word as one would have to write it for a shell to read it as this one. */
export const quoted = (word: string): string =>
  plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
