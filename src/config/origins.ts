import { valueAt } from '#lib/tree.ts'
import { variables } from './environment.ts'
import { shapeAt } from './shape.ts'

let defaults: unknown

/** What is known of a place in the tree of the file, whatever was configured. */
export const origins = {
  defaultAt(path: string): unknown {
    defaults ??= shapeAt({ folder: '/', userHome: '/' }).parse({})
    return valueAt(defaults, path.split('.'))
  },
  variableAt: (path: string): string | null => variables.find((one) => one.path === path)?.name ?? null,
}
