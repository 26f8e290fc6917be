/** Version and first line of description of the packages that are asked for, from `/var/lib/dpkg/status`. */
export function readStanzas(
  status: string,
  wanted: ReadonlySet<string>,
): Map<string, { version: string | null; description: string | null }> {
  const found = new Map<string, { version: string | null; description: string | null }>()
  for (let start = 0; start < status.length;) {
    const gap = status.indexOf('\n\n', start)
    const end = gap === -1 ? status.length : gap
    const name = /^Package: (.*)$/m.exec(status.slice(start, Math.min(end, start + 300)))?.[1]
    if (name !== undefined && wanted.has(name)) {
      const stanza = status.slice(start, end)
      // Of one that was removed, and left its settings behind, nothing is there.
      if (/^Status: .* installed$/m.test(stanza))
        found.set(name, {
          version: field(stanza, /^Version: (.*)$/m),
          description: field(stanza, /^Description: (.*)$/m),
        })
    }
    start = end + 2
  }
  return found
}

const field = (stanza: string, pattern: RegExp): string | null => pattern.exec(stanza)?.[1]?.trim() || null
