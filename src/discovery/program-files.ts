import { closeSync, constants, existsSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'

/**
 * What has to be shown of the machine so that a program outside of the system's folders can begin: itself, what it is a link to,
 * what was installed along with it, and who reads it if it is a script. Never a whole home.
 */
export function homesOf(file: string, shown: readonly string[]): string[] {
  const found = new Set<string>()
  const isShown = (path: string) =>
    [...shown, ...found].some((folder) => path === folder || path.startsWith(`${folder}/`))
  const show = (path: string) => {
    if (existsSync(path) && !isShown(path)) found.add(path)
  }
  for (const one of [file, ...(interpreterOf(file) ?? [])]) {
    const real = realPath(one)
    if (!real) continue
    for (const path of belongings(real)) show(path)
    for (const path of [one, real]) show(path)
  }
  return [...found]
}

/** Folders that came with the program, by where it lies. */
function belongings(real: string): string[] {
  const [, modules] = /^(.*?\/node_modules)\//.exec(real) ?? []
  if (modules) return [modules, join(modules, '../../bin')]
  const [, brew] = /^(.*\/\.?linuxbrew|\/opt\/homebrew)\//.exec(real) ?? []
  if (brew) return [brew]
  // What chooses between versions has to see them.
  const [, versions] = /^(.*\/\.(?:pyenv|rbenv|nodenv|goenv|asdf|nvm|volta|sdkman))\//.exec(real) ?? []
  if (versions) return [versions]
  const folder = dirname(real)
  if (!['bin', 'sbin'].includes(basename(folder))) return []
  const prefix = dirname(folder)
  // An environment of Python's may be made in a home, too.
  return [folder, ...['lib', 'lib64', 'pyvenv.cfg'].map((name) => join(prefix, name))]
}

/** Of a script's first line: `#!/opt/x/bin/python -E`. */
function interpreterOf(file: string): string[] | undefined {
  const start = Buffer.alloc(256)
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const length = readSync(descriptor, start, 0, start.length, 0)
      const [, words] = /^#!\s*([^\n]*)\n/.exec(start.toString('latin1', 0, length)) ?? []
      const path = words?.trim().split(/\s/)[0]
      return path && isAbsolute(path) ? [path] : undefined
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

/** Undefined when it is not there. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
