import { snippetCompletion } from '@codemirror/autocomplete'
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { SyntaxNode } from './syntax-node.ts'
import { visibleText } from '../approval/visible-text.ts'
import { childrenOf, unquoted } from './api-types.ts'
import type { ApiType, ApiTypes, Member } from './api-types.ts'
import { calledMember, typeOf } from './code-types.ts'
import type { Written } from './code-types.ts'
import { literalsOf, membersOf, textsOf } from './type-members.ts'

const word = /[\w$]*$/
const identifier = /^[A-Za-z_$][\w$]*$/
/** More than anybody reads in a line. */
const longestDetail = 80

/** Completes what the API has: namespaces, tools, their arguments and what these can be, and what came of a call. */
export const completeFrom =
  (api: () => ApiTypes | undefined) =>
  (context: CompletionContext): CompletionResult | null => {
    const types = api()
    if (!types) return null
    const { state, pos } = context
    const written: Written = { api: types, textOf: (node) => state.sliceDoc(node.from, node.to) }
    const node = syntaxTree(state).resolveInner(pos, -1)
    const from = pos - (word.exec(state.sliceDoc(Math.max(0, pos - 200), pos))?.[0].length ?? 0)
    if (/Comment|RegExp|Template/.test(node.name)) return null
    if (node.name === 'String') return inText(written, node, pos)
    if (state.sliceDoc(from - 1, from) === '.') return afterDot(written, node, from)
    const object = objectAround(node)
    if (object && isName(object, from, state.sliceDoc(object.from, from)))
      return argumentNames(written, object, from)
    const wanted = wantedAt(written, node, from)
    const values = wanted ? literalsOf(wanted).map((label) => ({ label, type: 'enum', boost: 2 })) : []
    if (from === pos && !context.explicit && values.length === 0) return null
    return { from, options: [...values, ...types.globals.map(completionOf)], validFor: word }
  }

function afterDot(written: Written, node: SyntaxNode, from: number): CompletionResult | null {
  let member: SyntaxNode | null = node
  while (member && member.name !== 'MemberExpression') member = member.parent
  const type = typeOf(written, member?.firstChild ?? null)
  const options = type ? membersOf(type).filter(({ name }) => identifier.test(name)) : []
  return options.length > 0 ? { from, options: options.map(completionOf), validFor: word } : null
}

function argumentNames(written: Written, object: SyntaxNode, from: number): CompletionResult | null {
  const type = objectType(written, object)
  if (!type) return null
  const given = new Set(
    object
      .getChildren('Property')
      .filter((property) => property.to < from || property.from > from)
      .map((property) => unquoted(written.textOf(property.firstChild ?? property))),
  )
  const options = membersOf(type)
    .filter(({ name }) => !given.has(name))
    .map((member) => ({
      ...completionOf(member),
      apply: `${identifier.test(member.name) ? member.name : JSON.stringify(member.name)}: `,
      detail: cut(`${member.isOptional ? '?' : ''}: ${member.text}`),
      boost: member.isOptional ? 0 : 2,
    }))
  return options.length > 0 ? { from, options, validFor: word } : null
}

/** Within quotes: the texts that it can be. */
function inText(written: Written, node: SyntaxNode, pos: number): CompletionResult | null {
  const wanted = wantedAt(written, node, node.from)
  const options = wanted ? textsOf(wanted).map((label) => ({ label, type: 'enum' })) : []
  return options.length > 0 ? { from: Math.min(node.from + 1, pos), options, validFor: /^[^'"]*$/ } : null
}

/** The object whose names are being written. */
function objectAround(node: SyntaxNode): SyntaxNode | undefined {
  for (let around: SyntaxNode | null = node; around; around = around.parent) {
    if (around.name === 'ObjectExpression') return around
    if (around.name === 'ArgList' || around.name === 'Block') return undefined
  }
  return undefined
}

/** Of what stands in an object before this place: behind a colon comes a value. */
function isName(object: SyntaxNode, from: number, before: string): boolean {
  const property = childrenOf(object).findLast(
    ({ name, from: begins }) => name === 'Property' && begins < from,
  )
  return /[{,]\s*$/.test(before) || (property === undefined && !before.includes(':'))
}

/** What an object of the code is to be, by what it is given to. */
function objectType(written: Written, object: SyntaxNode): ApiType | undefined {
  const { parent } = object
  if (parent?.name === 'ArgList') return parameterType(written, parent, object.from)
  return parent?.name === 'Property' ? propertyType(written, parent) : undefined
}

function propertyType(written: Written, property: SyntaxNode): ApiType | undefined {
  const name = property.firstChild && unquoted(written.textOf(property.firstChild))
  const type = property.parent ? objectType(written, property.parent) : undefined
  return type && membersOf(type).find((member) => member.name === name)?.type
}

/** Which value belongs here. */
function wantedAt(written: Written, node: SyntaxNode, from: number): ApiType | undefined {
  for (let around: SyntaxNode | null = node; around; around = around.parent) {
    if (around.name === 'Property') return propertyType(written, around)
    if (around.name === 'ArgList') return parameterType(written, around, from)
    if (around.name === 'Block') return undefined
  }
  return undefined
}

/** Objects are given alone; of several values each is the one that is declared at its place. */
function parameterType(written: Written, list: SyntaxNode, at: number): ApiType | undefined {
  const called = calledMember(written, list.prevSibling)
  if (!called) return undefined
  const index = childrenOf(list).filter(({ name, to }) => name === ',' && to <= at).length
  const isObject = written.textOf(list).trimStart().startsWith('({')
  const call = isObject ? called.calls.at(-1) : called.calls[0]
  return call?.parameters[index]?.type
}

function completionOf(member: Member): Completion {
  const { name, doc, calls, text } = member
  const info = visibleText(
    [doc, calls.length > 0 ? calls.map((call) => name + call.text).join('\n') : text]
      .filter(Boolean)
      .join('\n\n'),
  )
  const shown = { label: name, info, detail: cut(calls.length > 0 ? (calls.at(-1)?.text ?? '') : '') }
  if (calls.length === 0) return { ...shown, type: 'property' }
  const takesNothing = calls.at(-1)?.parameters.length === 0
  const takesObject = membersOfLast(member) > 0
  return snippetCompletion(`${name}(${takesObject ? '{ ${} }' : takesNothing ? '' : '${}'})`, {
    ...shown,
    type: 'method',
  })
}

const membersOfLast = ({ calls }: Member): number => {
  const type = calls.at(-1)?.parameters[0]?.type
  return type ? membersOf(type).length : 0
}

const cut = (text: string): string => {
  const line = visibleText(text.replaceAll(/\/\*.*?\*\/ ?/gs, ''))
  return line.length > longestDetail ? `${line.slice(0, longestDetail)}…` : line
}
