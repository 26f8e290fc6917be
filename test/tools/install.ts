import { join } from 'node:path'
import { installPackages } from '../support/install-packages.ts'

const cache = join(import.meta.dirname, '../../node_modules/.cache/outside-tools')

/** Installs the programs of others that package.json names. Answers with their folder. This suite is never skipped. */
export function installOutsideTools(): Promise<string> {
  // A package.json beside our own files would make them another package's.
  const folder = join(import.meta.dirname, 'packages')
  return installPackages({ folder, cache, called: 'the servers of tools that the tests use' })
}
