import { typescriptLanguage } from '@codemirror/lang-javascript'
import type { SyntaxNode } from './syntax-node.ts'

/** A type of the generated API, as it is written there. */
export interface ApiType {
  node: SyntaxNode
  api: ApiTypes
}

export interface Member {
  name: string
  doc: string
  isOptional: boolean
  /** Of a function: every way to call it. */
  calls: { parameters: { name: string; type: ApiType | undefined }[]; text: string }[]
  /** What it is, or what it answers with. */
  type: ApiType | undefined
  /** As it is declared. */
  text: string
}

/** What the generated declarations say, read with the editor's own parser: what it does not understand it leaves out. */
export class ApiTypes {
  readonly #text: string
  readonly #interfaces = new Map<string, SyntaxNode[]>()
  readonly globals: readonly Member[]

  constructor(text: string) {
    this.#text = text
    const globals: Member[] = []
    for (const node of childrenOf(typescriptLanguage.parser.parse(text).topNode)) {
      if (node.name === 'InterfaceDeclaration') this.#takeInterface(node)
      const declared = node.name === 'AmbientDeclaration' ? this.#declared(node) : undefined
      if (declared) globals.push(declared)
    }
    this.globals = globals
  }

  textOf = (node: SyntaxNode): string => this.#text.slice(node.from, node.to)

  interfaces = (name: string): readonly SyntaxNode[] => this.#interfaces.get(name) ?? []

  /** Of an object type; what is declared twice is one with two ways to call it. */
  membersIn(object: SyntaxNode): Member[] {
    const members = new Map<string, Member>()
    for (const node of childrenOf(object)) {
      if (node.name !== 'MethodType' && node.name !== 'PropertyType') continue
      const member = this.#member(node)
      if (!member) continue
      const known = members.get(member.name)
      if (known) known.calls.push(...member.calls)
      else members.set(member.name, member)
    }
    return [...members.values()]
  }

  #takeInterface(node: SyntaxNode): void {
    const name = node.getChild('TypeDefinition')
    const body = node.getChild('ObjectType')
    if (!name || !body) return
    const key = this.textOf(name)
    this.#interfaces.set(key, [...this.interfaces(key), body])
  }

  #declared(node: SyntaxNode): Member | undefined {
    const inner = node.getChild('VariableDeclaration') ?? node.getChild('AmbientFunctionDeclaration')
    return inner ? this.#member(inner, docBefore(node)) : undefined
  }

  #member(node: SyntaxNode, doc = docBefore(node)): Member | undefined {
    const named =
      node.getChild('PropertyDefinition') ?? node.getChild('VariableDefinition') ?? node.getChild('String')
    if (!named) return undefined
    const type = this.#typeIn(node.getChild('TypeAnnotation'))
    const list = node.getChild('ParamList')
    return {
      name: unquoted(this.textOf(named)),
      doc: doc ? plainDoc(this.textOf(doc)) : '',
      isOptional: node.getChild('Optional') !== null,
      calls: list ? [{ parameters: this.#parameters(list), text: this.#text.slice(list.from, node.to) }] : [],
      type,
      text: type ? this.textOf(type.node) : '',
    }
  }

  #parameters(list: SyntaxNode): Member['calls'][number]['parameters'] {
    return list.getChildren('VariableDefinition').map((node) => {
      let next = node.nextSibling
      if (next?.name === 'Optional') next = next.nextSibling
      return { name: this.textOf(node), type: this.#typeIn(next) }
    })
  }

  #typeIn(annotation: SyntaxNode | null): ApiType | undefined {
    const node = annotation?.name === 'TypeAnnotation' ? annotation.lastChild : null
    return node && node.name !== ':' ? { node, api: this } : undefined
  }
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child)
  return children
}

export const unquoted = (text: string): string => text.replaceAll(/^['"]|['"]$/g, '')

const docBefore = (node: SyntaxNode): SyntaxNode | null =>
  node.prevSibling?.name === 'BlockComment' ? node.prevSibling : null

const plainDoc = (comment: string): string =>
  comment
    .replaceAll(/^\/\*\*?\s*|\s*\*\/$/g, '')
    .replaceAll(/^\s*\* ?/gm, '')
    .trim()
