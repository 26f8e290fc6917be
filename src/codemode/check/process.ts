// The process that reads code before it runs: it takes the types away, and checks them. Native code does both, and what it is given may
// make it fall over or never come back, which is why it is a process of its own. It knows nothing, and is ended by whoever waits for it.
import type { Checked, FromChecker, ToChecker } from './messages.ts'
import { CheckProject } from './project.ts'
import { strip } from '../strip/strip.ts'

const tell = (message: FromChecker) => process.send?.(message)
/** Declarations by their places: they are long, and come once. */
const known = new Map<number, string>()
let project: CheckProject | undefined

function opened(): CheckProject {
  const made = new CheckProject()
  tell({ type: 'native', pid: made.pid })
  return made
}

function checked({ place, tools, code, isDeclarations }: ToChecker): Checked {
  if (place !== undefined && tools !== undefined) known.set(place, tools)
  if (place !== undefined && isDeclarations) {
    project ??= opened()
    return { types: project.checkDeclarations(known.get(place) ?? '', place) }
  }
  const stripped = strip(code)
  if ('syntax' in stripped || place === undefined) return stripped
  project ??= opened()
  const { syntax, types } = project.check(known.get(place) ?? '', code, place)
  return syntax.length > 0 ? { syntax } : types.length > 0 ? { types } : stripped
}

process.on('message', (message: ToChecker) => {
  const { id } = message
  try {
    tell({ type: 'checked', id, checked: checked(message) })
  } catch (error) {
    project?.close()
    project = undefined
    tell({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
})

process.on('disconnect', () => {
  project?.close()
  process.exit()
})
