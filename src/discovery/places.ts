import { join } from 'node:path'

/** Where a machine keeps what is known of its programs. Made from a root, so that a tree that is made up can be looked at. */
export interface Places {
  root: string
  home: string
  dpkg: string
  apk: string
  rpm: {
    /** Where its program is looked for, as on PATH. */
    programs: string
    /** The first that is there is the one; there are three formats, and two places. */
    databases: readonly string[]
  }
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
    rpm: {
      programs: under('usr/bin', 'bin').join(':'),
      databases: ['usr/lib/sysimage/rpm', 'var/lib/rpm'].flatMap((folder) =>
        under(`${folder}/rpmdb.sqlite`, `${folder}/Packages.db`, `${folder}/Packages`),
      ),
    },
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
