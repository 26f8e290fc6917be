import { API } from 'typescript/unstable/sync'
import type { Diagnostic as Found, Program, Snapshot } from 'typescript/unstable/sync'
import type { Diagnostic } from '#contract/execute.ts'
import { placeAt } from '../strip/place.ts'
import { bodyOnly } from '../strip/strip.ts'
import { libraryText } from './library.ts'
import { worded } from './words.ts'

const root = '/signalbox-check'
const settings = JSON.stringify({
  compilerOptions: {
    target: 'es2023',
    noLib: true,
    module: 'esnext',
    moduleDetection: 'force',
    strict: true,
    noEmit: true,
    types: [],
    skipLibCheck: false,
  },
  files: ['../library.d.ts', 'tools.d.ts', 'main.ts'],
})
const head = 'export default async () => {\n'
const tail = '\n}\n'
const mostComplaints = 20
/** Of TypeScript's numbers: below are those of syntax. */
const firstOfTypes = 2_000

/** By which nobody would find what they declare. */
const isModule = { line: 1, column: 1, message: 'it has an import or an export, which it cannot have' }

interface Desk {
  folder: string
  tools: string
  main: string
}

/**
 * The type checker, warm: one project for each of the declarations that code is checked against by turns. It sees these few files and
 * nothing of the machine: code that names another one finds nothing there.
 */
export class CheckProject {
  readonly #api: API
  readonly #library = libraryText('es2023')
  readonly #desks = new Map<number, Desk>()
  #snapshot: Snapshot | undefined
  #spent: Snapshot | undefined

  constructor() {
    this.#api = new API({
      cwd: root,
      fs: {
        readFile: (name) => this.#read(name) ?? null,
        fileExists: (name) => this.#read(name) !== undefined,
        directoryExists: (name) =>
          name === root || this.#desks.values().some(({ folder }) => name === folder),
        getAccessibleEntries: () => ({ files: [], directories: [] }),
        realpath: (name) => name,
      },
    })
  }

  /** Of the native process behind it. */
  get pid(): number {
    const { client } = this.#api as unknown as { client?: { channel?: { child?: { pid?: number } } } }
    const pid = client?.channel?.child?.pid
    if (pid === undefined) throw new Error('The type checker does not say what its process is')
    return pid
  }

  /** `place` is where these declarations are kept warm: those that were there before are forgotten. */
  check(tools: string, code: string, place = 0): { syntax: Diagnostic[]; types: Diagnostic[] } {
    const known = this.#desks.get(place)
    const desk = known ?? { folder: `${root}/${place}`, tools, main: '' }
    this.#desks.set(place, desk)
    const main = `${desk.folder}/main.ts`
    const changed = tools === desk.tools ? [main] : [main, `${desk.folder}/tools.d.ts`]
    desk.main = head + code + tail
    desk.tools = tools
    const program = this.#programAfter(desk, known ? changed : [])
    // What cannot be read was told when its types were taken away: here it would be asked for in vain, and every question is a wait.
    const found = program.getSemanticDiagnostics(main)
    const isSyntax = (one: Found) => one.code < firstOfTypes
    const told = (some: readonly Found[]) => some.slice(0, mostComplaints).map((one) => this.#told(code, one))
    return {
      syntax: told(found.filter(isSyntax)),
      types: told(found.filter((one) => !isSyntax(one))),
    }
  }

  /** Of the declarations themselves: they are right, and everybody finds them. */
  checkDeclarations(tools: string, place = 0): Diagnostic[] {
    const { syntax, types } = this.check(tools, 'console.log(context)', place)
    const desk = this.#desks.get(place)!
    const file = `${desk.folder}/tools.d.ts`
    const program = this.#programAfter(desk, [file])
    const broken = program.getSyntacticDiagnostics(file)
    const found = broken.length > 0 ? broken : program.getSemanticDiagnostics(file)
    if (found.length === 0 && syntax.length + types.length > 0) return [isModule]
    return found
      .slice(0, mostComplaints)
      .map((one) => ({ ...placeAt(tools, one.pos), code: one.code, ...worded(one) }))
  }

  close(): void {
    this.#api.close()
  }

  #programAfter({ folder }: Desk, changed: string[]): Program {
    const before = this.#snapshot
    const config = `${folder}/tsconfig.json`
    this.#snapshot = this.#api.updateSnapshot(
      changed.length > 0 ? { fileChanges: { changed } } : { openProjects: [config] },
    )
    // Whoever waits for what was found does not wait for this.
    this.#spent?.dispose()
    this.#spent = before
    if (before) setImmediate(() => before.dispose())
    const program = this.#snapshot.getProject(config)?.program
    if (!program) throw new Error('The type checker has no project')
    return program
  }

  #told(code: string, found: Found): Diagnostic {
    const at = Math.min(Math.max(0, found.pos - head.length), code.length)
    const outside = bodyOnly(code, at)
    return {
      ...placeAt(code, at),
      code: found.code,
      ...(outside ? { message: outside } : worded(found)),
    }
  }

  #read(name: string): string | undefined {
    if (name === `${root}/library.d.ts`) return this.#library
    const desk = this.#desks.values().find(({ folder }) => name.startsWith(`${folder}/`))
    if (!desk) return undefined
    const file = name.slice(desk.folder.length + 1)
    if (file === 'main.ts') return desk.main
    if (file === 'tools.d.ts') return desk.tools
    return file === 'tsconfig.json' ? settings : undefined
  }
}
