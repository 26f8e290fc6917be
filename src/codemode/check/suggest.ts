import type { Diagnostic } from '#contract/execute.ts'
import { nearestWord } from '#lib/nearest-word.ts'
import { positionOf } from '../strip/place.ts'

/** What can be meant: the namespaces of `mcp`, their tools, and how one is declared. */
export interface Known {
  members: ReadonlyMap<string, readonly string[]>
  declarationOf(namespace: string, tool: string): string | undefined
}

/** TypeScript's numbers for what is not there, for arguments that do not fit, and for names that nobody declares. */
const notThere = new Set([2339, 2551])
const unfit = new Set([2322, 2345, 2353, 2554, 2555, 2559, 2561, 2739, 2740, 2741, 2769])
const unknownName = new Set([2304, 2307, 2503, 2552, 2580, 2581, 2582, 2584, 2591, 2592])

const mostNames = 8
const longestDeclaration = 400
const longestLookBack = 2_000

/** Says what may have been meant, in the words of the API. */
export function suggested(found: Diagnostic, code: string, known: Known): Diagnostic {
  const number = found.code ?? 0
  const at = positionOf(code, found)
  const before = code.slice(Math.max(0, at - longestLookBack), at)
  if (notThere.has(number)) return missing(found, before, code.slice(at), known)
  if (unfit.has(number)) return misfit(found, before, code.slice(at), known)
  if (unknownName.has(number)) return nameless(found)
  return found
}

function missing(found: Diagnostic, before: string, after: string, known: Known): Diagnostic {
  const [name = ''] = /^[\p{ID_Continue}$]+/u.exec(after) ?? []
  if (/\bmcp\s*\??\.\s*$/.test(before)) {
    const there = [...known.members.keys()]
    const message = `There is no ${name} in mcp: nothing is registered under that name, or the code was not granted it`
    const needs = `What is called ${name} needs the capability \`mcp:${name}\`.`
    return { ...found, message, suggestion: [near(name, there, 'mcp'), needs].filter(Boolean).join(' ') }
  }
  const [, namespace = ''] = /\bmcp\s*\??\.\s*([\p{ID_Continue}$]+)\s*\??\.\s*$/u.exec(before) ?? []
  const tools = known.members.get(namespace)
  if (!tools) return found
  const message = `There is no tool ${name} in mcp.${namespace}`
  return {
    ...found,
    message,
    suggestion: near(name, tools, `mcp.${namespace}`) ?? `mcp.${namespace} is empty.`,
  }
}

function near(name: string, there: readonly string[], of: string): string | undefined {
  if (there.length === 0) return undefined
  const nearest =
    nearestWord(name, there) ?? there.find((one) => one.toLowerCase().includes(name.toLowerCase()))
  if (nearest) return `Did you mean ${of}.${nearest}?`
  const more = there.length > mostNames ? `, and ${there.length - mostNames} more` : ''
  return `${of} has ${there.slice(0, mostNames).join(', ')}${more}.`
}

const path = String.raw`\bmcp\s*\??\.\s*([\p{ID_Continue}$]+)\s*\??\.\s*`

/** How the tool is called, whose arguments do not fit. */
function misfit(found: Diagnostic, before: string, after: string, known: Known): Diagnostic {
  if (found.suggestion) return found
  const [, own] = new RegExp(`${path}$`, 'u').exec(before) ?? []
  const [ownTool] = /^[\p{ID_Continue}$]+/u.exec(after) ?? []
  const calls = [...before.matchAll(new RegExp(`${path}([\\p{ID_Continue}$]+)\\s*\\(`, 'gu'))]
  const call = calls.findLast(({ index, 0: text }) => isOpen(before.slice(index + text.length)))
  const [namespace, tool] = own && ownTool ? [own, ownTool] : [call?.[1], call?.[2]]
  const declaration = namespace && tool && known.declarationOf(namespace, tool)
  if (!declaration) return found
  const lines = declaration.split('\n').filter((line) => !line.startsWith('/**') && !line.startsWith('*'))
  const told = lines
    .map((line) => line.replace(/\): Promise<.*$/s, ')').replaceAll(/\/\*\*.*?\*\/ /g, ''))
    .toReversed()
    .join(' or ')
  return { ...found, suggestion: `It is called as mcp.${namespace}.${told.slice(0, longestDeclaration)}` }
}

/** Whether a bracket before it has not been closed yet. Brackets in texts are counted too: it is a guess. */
function isOpen(text: string): boolean {
  let depth = 0
  for (const letter of text) {
    if (letter === '(') depth += 1
    else if (letter === ')') depth -= 1
    if (depth < 0) return false
  }
  return true
}

const around =
  'Code has neither Node nor a browser around it: it has mcp, context, console, fetch, fs, setTimeout, and what is JavaScript itself.'

function nameless(found: Diagnostic): Diagnostic {
  const message = found.message.replace(/ Do you need to (install|change)[\s\S]*$/, '')
  return { ...found, message, suggestion: found.suggestion ?? around }
}
