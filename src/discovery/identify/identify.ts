import type { Places } from '../places.ts'
import type { ScannedFile } from '../scan.ts'
import { openApk } from './apk.ts'
import { findCrates } from './cargo.ts'
import { openDpkg } from './dpkg.ts'
import { openGo } from './go-install.ts'
import { findNodePackages } from './node-package.ts'
import type { FindOwners, Owner } from './owner.ts'
import { openRpm } from './rpm.ts'
import { openPython } from './python-package.ts'
import { openSnap } from './snap.ts'
import { findByStorePath } from './store-path.ts'

/**
 * Whose each file is, by the files in which those who install things keep their own books; only rpm is run, which alone can read its
 * own. A snap's
 * programs are links to a program of dpkg's, so snap comes first; what the system has installed may lie in a folder of npm's, so npm comes after.
 */
export function openIdentify(places: Places): FindOwners {
  const sources = [
    openSnap(places),
    findByStorePath,
    openDpkg(places),
    openApk(places),
    openRpm(places),
    findNodePackages,
    openPython(),
    findCrates,
    openGo(places),
  ]
  return async (files) => {
    const owners = new Map<string, Owner>()
    let left: readonly ScannedFile[] = files
    for (const find of sources) {
      if (left.length === 0) break
      for (const [path, owner] of await find(left)) owners.set(path, owner)
      left = left.filter(({ path }) => !owners.has(path))
    }
    return owners
  }
}
