import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Where a program of this name is, as a shell would find it. */
export function onPath(name: string, path: string): string | undefined {
  const folder = path
    .split(delimiter)
    .filter(isAbsolute)
    .find((one) => canRun(join(one, name)))
  return folder === undefined ? undefined : join(folder, name)
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
