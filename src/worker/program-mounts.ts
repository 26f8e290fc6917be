import { access, readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'

/** Every image has its own of these, and ours would not fit. */
const ofTheSystem = new Set(['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/libexec'])

/**
 * What has to be visible inside walls for a program of this machine to run there, at the same place: its npm package, with
 * what that needs from beside it, or the file alone. Nothing for one that is not on this machine, or is the system's.
 */
export async function mountFor(binaryPath: string): Promise<string | undefined> {
  const real = await realpath(binaryPath).catch(() => undefined)
  if (real === undefined || ofTheSystem.has(dirname(real))) return undefined
  const mount = (await packageOf(real)) ?? real
  return isTooMuch(mount) ? undefined : mount
}

async function packageOf(file: string): Promise<string | undefined> {
  for (let folder = dirname(file); folder !== '/'; folder = dirname(folder)) {
    const [above, scope] = [dirname(folder), basename(dirname(folder))]
    const isPackage = scope === 'node_modules' || (scope.startsWith('@') && isModules(dirname(above)))
    if (!isPackage || !(await exists(join(folder, 'package.json')))) continue
    const modules = scope === 'node_modules' ? above : dirname(above)
    return (await needsNeighbours(folder, modules)) ? modules : folder
  }
  return undefined
}

/** Whether npm has put what it depends on beside it, and not into it. */
async function needsNeighbours(folder: string, modules: string): Promise<boolean> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8').then(JSON.parse, () => ({}))
  const named = { ...manifest.dependencies, ...manifest.optionalDependencies }
  for (const name of Object.keys(named)) {
    const isOwn = await exists(join(folder, 'node_modules', name))
    if (!isOwn && (await exists(join(modules, name)))) return true
  }
  return false
}

const isModules = (folder: string): boolean => basename(folder) === 'node_modules'

/** Never somebody's home, nor anything that it is in. */
const isTooMuch = (mount: string): boolean =>
  mount === '/' || `${homedir()}${sep}`.startsWith(`${mount}${sep}`)

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
