import { existsSync } from 'node:fs'
import { access, readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { possibleRuntimeFolders } from '#lib/runtime-folder.ts'

/** Every image has its own of these, and ours would not fit. */
const ofTheSystem = new Set(['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/libexec'])

/**
 * What has to be visible inside walls for a program of this machine to run there, at the same place: its npm package, with
 * what that needs from beside it, or the file alone. Nothing for one that is not on this machine, or is the system's.
 * `home` is Signalbox's own: nothing of it, nor of where its sockets are, is ever shown.
 */
export async function mountFor(binaryPath: string, home: string): Promise<string | undefined> {
  const real = await realpath(binaryPath).catch(() => undefined)
  if (real === undefined || ofTheSystem.has(dirname(real))) return undefined
  const whole = await packageOf(real)
  const ours = existsSync(home) ? [home, ...possibleRuntimeFolders(home)] : [home]
  const kept = await Promise.all(ours.map((folder) => realpath(folder).catch(() => folder)))
  return [whole, real].find((mount) => mount !== undefined && !isTooMuch(mount, kept))
}

async function packageOf(file: string): Promise<string | undefined> {
  let own: string | undefined
  for (let folder = dirname(file); folder !== '/'; folder = dirname(folder)) {
    const modules = modulesAbove(folder)
    if (modules) return (await needsNeighbours(folder, modules)) ? modules : folder
    if (own === undefined && (await manifestIn(folder)).name) own = folder
  }
  return own
}

/** The `node_modules` that a folder is a package in. */
function modulesAbove(folder: string): string | undefined {
  const above = dirname(folder)
  const modules = basename(above).startsWith('@') ? dirname(above) : above
  return basename(modules) === 'node_modules' ? modules : undefined
}

interface Manifest {
  name?: string
  dependencies?: object
  optionalDependencies?: object
}

async function manifestIn(folder: string): Promise<Manifest> {
  return readFile(join(folder, 'package.json'), 'utf8')
    .then((text): Manifest => JSON.parse(text))
    .catch(() => ({}))
}

/** Whether npm has put what it depends on beside it, and not into it. */
async function needsNeighbours(folder: string, modules: string): Promise<boolean> {
  const { dependencies, optionalDependencies } = await manifestIn(folder)
  const named = { ...dependencies, ...optionalDependencies }
  for (const name of Object.keys(named)) {
    const isOwn = await exists(join(folder, 'node_modules', name))
    if (!isOwn && (await exists(join(modules, name)))) return true
  }
  return false
}

/** Never somebody's home, nor anything that it is in; and nothing that is ours, nor has it in it: keys and sockets are there. */
const isTooMuch = (mount: string, kept: readonly string[]): boolean =>
  isWithin(homedir(), mount) || kept.some((folder) => isWithin(folder, mount) || isWithin(mount, folder))

const isWithin = (path: string, folder: string): boolean =>
  folder === '/' || `${path}${sep}`.startsWith(`${folder}${sep}`)

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
