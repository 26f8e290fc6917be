import { join } from 'node:path'

/** Where a machine keeps what is known of its programs. Made from a root, so that a tree that is made up can be looked at. */
export interface Places {
  root: string
  home: string
  dpkg: string
  apk: string
  snap: string
  manuals: readonly string[]
  units: readonly string[]
}

export function placesUnder(root: string, home: string): Places {
  const under = (...paths: string[]) => paths.map((path) => join(root, path))
  return {
    root,
    home,
    dpkg: join(root, 'var/lib/dpkg'),
    apk: join(root, 'lib/apk/db/installed'),
    snap: join(root, 'snap'),
    manuals: [
      ...under('usr/local/share/man', 'usr/local/man', 'usr/share/man', 'opt/homebrew/share/man'),
      join(home, '.local/share/man'),
    ],
    units: under(
      'etc/systemd/system',
      'run/systemd/system',
      'usr/local/lib/systemd/system',
      'usr/lib/systemd/system',
      'lib/systemd/system',
    ),
  }
}
