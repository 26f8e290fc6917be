import type { TerminalPlace } from '#db/terminals.ts'

/**
 * The terminals that a page may open sockets to, as the content security policy names them. One that has not said how it is
 * reached is on this machine, and called by the name that the page was called by.
 */
export function terminalSources(
  places: readonly TerminalPlace[],
  machineId: string | undefined,
  host: string | undefined,
): string[] {
  const name = host === undefined ? undefined : URL.parse(`http://${host}`)?.hostname
  const sources = places.map(({ machineId: at, port, url }) => {
    if (url !== null) return originOf(url)
    return at === machineId && name ? `ws://${name}:${port}` : ''
  })
  return sources.filter((source) => isPlain.test(source))
}

/** A host that is a pattern, or holds what ends a directive, is not one. */
const isPlain = /^wss?:\/\/[\w.[\]:-]+$/

/** Of a socket's address; `origin` is "null" for those in older engines. */
function originOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.protocol}//${parsed.host}` : ''
}
