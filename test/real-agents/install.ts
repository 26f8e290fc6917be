import { join } from 'node:path'
import { installPackages } from '../support/install-packages.ts'

export const cache = join(import.meta.dirname, '../../node_modules/.cache/real-agents')

/** Installs the agents that package.json names. Answers with the folder of their programs. This suite is never skipped. */
export async function installAgents(): Promise<string> {
  // A package.json beside our own files would make them another package's.
  const folder = join(import.meta.dirname, 'packages')
  return join(await installPackages({ folder, cache, called: 'the real agents' }), 'node_modules/.bin')
}
