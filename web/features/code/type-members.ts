import type { SyntaxNode } from './syntax-node.ts'
import { childrenOf, unquoted } from './api-types.ts'
import type { ApiType, Member } from './api-types.ts'

const at = (type: ApiType, node: SyntaxNode | null | undefined): ApiType | undefined =>
  node ? { node, api: type.api } : undefined

/** The types of which it is one: of a union each, of anything else itself. */
export function optionsOf(type: ApiType): ApiType[] {
  const { node } = type
  if (node.name === 'ParenthesizedType') {
    const inner = at(type, childrenOf(node).find(isType))
    return inner ? optionsOf(inner) : []
  }
  return node.name === 'UnionType'
    ? childrenOf(node)
        .filter(isType)
        .flatMap((option) => optionsOf({ ...type, node: option }))
    : [type]
}

/** What can be written after a dot. */
export function membersOf(type: ApiType): Member[] {
  const members = optionsOf(type).flatMap(({ node, api }) => {
    if (node.name === 'ObjectType') return api.membersIn(node)
    return node.name === 'TypeName'
      ? api.interfaces(api.textOf(node)).flatMap((body) => api.membersIn(body))
      : []
  })
  return [...new Map(members.map((member) => [member.name, member])).values()]
}

/** What `await` makes of it. */
export const awaited = (type: ApiType): ApiType => (genericOf(type, 'Promise') ?? type) satisfies ApiType

/** What a list of them has in it. */
export function elementOf(type: ApiType): ApiType | undefined {
  for (const option of optionsOf(type)) {
    if (option.node.name === 'ArrayType') return at(option, option.node.firstChild)
    const of = genericOf(option, 'Array') ?? genericOf(option, 'ReadonlyArray')
    if (of) return of
  }
  return undefined
}

export const isList = (type: ApiType): boolean => elementOf(type) !== undefined

/** The texts and numbers that are all it can be, as they are written. */
export const literalsOf = (type: ApiType): string[] =>
  optionsOf(type).flatMap(({ node, api }) => (node.name === 'LiteralType' ? [api.textOf(node)] : []))

export const textsOf = (type: ApiType): string[] =>
  literalsOf(type).flatMap((literal) => (/^['"]/.test(literal) ? [unquoted(literal)] : []))

function genericOf(type: ApiType, name: string): ApiType | undefined {
  const { node, api } = type
  if (node.name !== 'ParameterizedType' || !node.firstChild || api.textOf(node.firstChild) !== name)
    return undefined
  const list = node.getChild('TypeArgList')
  return at(type, list && childrenOf(list).find(isType))
}

const isType = ({ name }: SyntaxNode): boolean => /^[A-Z]/.test(name) && name !== 'LogicOp'
