import type { SyntaxNode } from './syntax-node.ts'
import type { ApiType, ApiTypes, Member } from './api-types.ts'
import { childrenOf } from './api-types.ts'
import { awaited, elementOf, isList, membersOf } from './type-members.ts'

export interface Written {
  api: ApiTypes
  /** Of the code that is being written. */
  textOf: (node: SyntaxNode) => string
}

const sameList = new Set(['filter', 'slice', 'toSorted', 'toReversed', 'concat', 'sort', 'reverse'])
const oneOfList = new Set(['find', 'findLast', 'at', 'pop', 'shift'])
/** Whose callbacks are given what the list has in it. */
const callsWithEach = new Set(
  'map filter forEach find findLast findIndex some every flatMap toSorted sort reduce'.split(' '),
)

/** What a piece of code is, as far as that follows from the API: enough to say what can come next. */
export function typeOf(written: Written, node: SyntaxNode | null): ApiType | undefined {
  if (!node) return undefined
  if (node.name === 'VariableName') return variableType(written, node)
  if (node.name === 'MemberExpression') return memberType(written, node)
  if (node.name === 'CallExpression') return callType(written, node)
  if (node.name === 'AwaitExpression') {
    const type = typeOf(written, node.lastChild)
    return type && awaited(type)
  }
  return node.name === 'ParenthesizedExpression'
    ? typeOf(written, node.firstChild?.nextSibling ?? null)
    : undefined
}

/** The function that is called, as it is declared. */
export function calledMember(written: Written, callee: SyntaxNode | null): Member | undefined {
  if (callee?.name === 'VariableName')
    return written.api.globals.find(({ name }) => name === written.textOf(callee))
  return callee?.name === 'MemberExpression' ? memberNamed(written, callee) : undefined
}

function memberNamed(written: Written, node: SyntaxNode): Member | undefined {
  const type = typeOf(written, node.firstChild)
  const property = node.getChild('PropertyName')
  return type && property ? membersOf(type).find(({ name }) => name === written.textOf(property)) : undefined
}

function memberType(written: Written, node: SyntaxNode): ApiType | undefined {
  if (!node.getChild('[')) {
    const member = memberNamed(written, node)
    return member && member.calls.length === 0 ? member.type : undefined
  }
  const list = typeOf(written, node.firstChild)
  return list && elementOf(list)
}

function callType(written: Written, node: SyntaxNode): ApiType | undefined {
  const callee = node.firstChild
  const called = calledMember(written, callee)
  if (called) return called.type
  const list = callee?.name === 'MemberExpression' ? typeOf(written, callee.firstChild) : undefined
  const name = callee?.getChild('PropertyName')
  if (!list || !name || !isList(list)) return undefined
  if (sameList.has(written.textOf(name))) return list
  return oneOfList.has(written.textOf(name)) ? elementOf(list) : undefined
}

function variableType(written: Written, node: SyntaxNode): ApiType | undefined {
  const name = written.textOf(node)
  for (let around = node.parent; around; around = around.parent) {
    const declared = declaredIn(written, around, name, node.from)
    if (declared) return declared.type
  }
  const global = written.api.globals.find((each) => each.name === name)
  return global && global.calls.length === 0 ? global.type : undefined
}

/** Undefined: not here. Without a type: here, and not known. */
function declaredIn(
  written: Written,
  around: SyntaxNode,
  name: string,
  before: number,
): { type: ApiType | undefined } | undefined {
  const isNamed = (node: SyntaxNode | null) =>
    node?.name === 'VariableDefinition' && written.textOf(node) === name
  if (around.name === 'ForStatement') {
    const spec = around.getChild('ForOfSpec')
    const list =
      spec && isNamed(spec.getChild('VariableDefinition')) ? typeOf(written, ofWhat(spec)) : undefined
    if (list) return { type: elementOf(list) }
  }
  if (
    around.name === 'ArrowFunction' &&
    isNamed(around.getChild('ParamList')?.getChild('VariableDefinition') ?? null)
  )
    return { type: eachGiven(written, around) }
  const declaration = childrenOf(around).findLast(
    (child) =>
      child.name === 'VariableDeclaration' &&
      child.to <= before &&
      child.getChildren('VariableDefinition').some(isNamed),
  )
  const definition = declaration?.getChildren('VariableDefinition').find(isNamed)
  if (!definition) return undefined
  const equals = definition.nextSibling
  return { type: equals?.name === 'Equals' ? typeOf(written, equals.nextSibling) : undefined }
}

const ofWhat = (spec: SyntaxNode): SyntaxNode | null => spec.getChild('of')?.nextSibling ?? null

/** What the first parameter of `list.map((each) => …)` is. */
function eachGiven(written: Written, arrow: SyntaxNode): ApiType | undefined {
  const callee = arrow.parent?.name === 'ArgList' ? arrow.parent.prevSibling : null
  const name = callee?.getChild('PropertyName')
  if (callee?.name !== 'MemberExpression' || !name || !callsWithEach.has(written.textOf(name)))
    return undefined
  const list = typeOf(written, callee.firstChild)
  return list && elementOf(list)
}
