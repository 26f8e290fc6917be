import { join } from 'node:path'

/**
 * The PATH that was there before npm put its own folders in front. Agents must find the programs that people find, and not
 * those of this package; and nobody else's folder should count among those where programs may lie.
 */
export function pathWithoutNpm(
  { PATH = '', npm_execpath: npm }: NodeJS.ProcessEnv,
  root = join(import.meta.dirname, '../..'),
): string {
  if (npm === undefined) return PATH
  // npm adds those of this package and of every folder above it; others are the user's own.
  const isOfNpm = (folder: string) => {
    const [of, bin] = folder.split(/\/(?=node_modules\/\.bin$)/)
    return (bin !== undefined && `${root}/`.startsWith(`${of}/`)) || folder.endsWith('/node-gyp-bin')
  }
  return PATH.split(':')
    .filter((folder) => !isOfNpm(folder))
    .join(':')
}
