import { API } from 'typescript/unstable/sync'
import type { Diagnostic as Found, Program, Snapshot } from 'typescript/unstable/sync'
import type { Diagnostic } from '#contract/execute.ts'
import { placeAt } from '../strip/place.ts'
import { bodyOnly } from '../strip/strip.ts'
import { worded } from './words.ts'

const root = '/signalbox-check'
const settings = JSON.stringify({
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023'],
    module: 'esnext',
    moduleDetection: 'force',
    strict: true,
    noEmit: true,
    types: [],
    skipLibCheck: false,
  },
  files: ['tools.d.ts', 'main.ts'],
})
const head = 'export default async () => {\n'
const tail = '\n}\n'
const mostComplaints = 20
/** Of TypeScript's numbers: below are those of syntax. */
const firstOfTypes = 2_000

/** By which nobody would find what they declare. */
const isModule = { line: 1, column: 1, message: 'it has an import or an export, which it cannot have' }

/** The type checker, warm. It sees three files and its own library: code that names another one finds nothing there. */
export class CheckProject {
  readonly #api: API
  #tools = ''
  #main = head + tail
  #snapshot: Snapshot | undefined

  constructor() {
    this.#api = new API({
      cwd: root,
      fs: {
        readFile: (name) => this.#read(name),
        fileExists: (name) => this.#isKnown(name),
        directoryExists: (name) => (name === root || this.#isLibrary(name) ? undefined : false),
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

  check(tools: string, code: string): { syntax: Diagnostic[]; types: Diagnostic[] } {
    const changed = [`${root}/main.ts`]
    this.#main = head + code + tail
    if (tools !== this.#tools) changed.push(`${root}/tools.d.ts`)
    this.#tools = tools
    const program = this.#programAfter(changed)
    const main = `${root}/main.ts`
    const broken = program.getSyntacticDiagnostics(main)
    const found = broken.length > 0 ? broken : program.getSemanticDiagnostics(main)
    const isSyntax = (one: Found) => one.code < firstOfTypes
    const told = (some: readonly Found[]) => some.slice(0, mostComplaints).map((one) => this.#told(code, one))
    return {
      syntax: told(found.filter(isSyntax)),
      types: told(found.filter((one) => !isSyntax(one))),
    }
  }

  /** Of the declarations themselves: they are right, and everybody finds them. */
  checkDeclarations(tools: string): Diagnostic[] {
    const { syntax, types } = this.check(tools, 'console.log(context)')
    const file = `${root}/tools.d.ts`
    const program = this.#programAfter([file])
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

  #programAfter(changed: string[]): Program {
    const before = this.#snapshot
    const config = `${root}/tsconfig.json`
    this.#snapshot = this.#api.updateSnapshot(
      before ? { fileChanges: { changed } } : { openProjects: [config] },
    )
    before?.dispose()
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

  #read(name: string): string | null | undefined {
    if (name === `${root}/main.ts`) return this.#main
    if (name === `${root}/tools.d.ts`) return this.#tools
    if (name === `${root}/tsconfig.json`) return settings
    return this.#isLibrary(name) ? undefined : null
  }

  #isKnown(name: string): boolean | undefined {
    if (this.#isLibrary(name)) return undefined
    return [`${root}/main.ts`, `${root}/tools.d.ts`, `${root}/tsconfig.json`].includes(name)
  }

  /** Where the checker's own declarations are: `lib.*.d.ts`, and nothing else of the machine. */
  #isLibrary(name: string): boolean {
    return (
      /(^|\/)node_modules\/(@typescript\/[^/]+|typescript)\/lib(\/lib\.[\w.]+\.d\.ts)?$/.test(name) ||
      name.startsWith('bundled:')
    )
  }
}
