/**
 * The PATH that was there before npm put its own folders in front. Agents must find the programs that people find, and not
 * those of this package; and nobody else's folder should count among those where programs may lie.
 */
export function pathWithoutNpm({ PATH = '', npm_execpath: npm }: NodeJS.ProcessEnv): string {
  if (npm === undefined) return PATH
  const isOfNpm = (folder: string) => /\/node_modules\/\.bin$|\/node-gyp-bin$/.test(folder)
  return PATH.split(':')
    .filter((folder) => !isOfNpm(folder))
    .join(':')
}
