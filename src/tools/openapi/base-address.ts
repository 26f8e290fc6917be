import { BadDocument, BadPart, isNode, listOf, shown, textOf, wordOf } from './document.ts'
import type { Document, Node } from './document.ts'

/** Where the calls of an operation go, without a slash at the end: the owner's word, or the first server that the document names. */
export function baseOf(document: Document, servers: unknown, override: string | undefined): string {
  const address = override ?? firstServer(servers)
  let url: URL
  try {
    url = new URL(address, document.address)
  } catch {
    throw new BadPart(
      document.address === undefined && !address.includes('://')
        ? `its server is ${shown(address)}, and nobody said relative to what: give the address of the API as url`
        : `the address of its server is none: ${shown(address)}`,
    )
  }
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new BadPart(`its server ${shown(address)} has an address that is not of the web`)
  }
  if (url.username || url.password) throw new BadPart('the address of its server has a password in it')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** An address that the owner gave; throws BadDocument. */
export function checkedAddress(address: string): string {
  try {
    const { protocol } = new URL(address)
    if (['http:', 'https:'].includes(protocol)) return address
  } catch {
    // told below
  }
  throw new BadDocument(`The url ${shown(address)} is no address of the web`)
}

function firstServer(servers: unknown): string {
  const [server] = listOf(servers)
  if (!isNode(server)) return '/'
  const variables: Node = isNode(server['variables']) ? server['variables'] : {}
  return (textOf(server['url']) ?? '/').replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    const value = isNode(variable) ? variable['default'] : undefined
    if (value === undefined) throw new BadPart(`the server's variable ${shown(name)} has no default`)
    return wordOf(value)
  })
}
