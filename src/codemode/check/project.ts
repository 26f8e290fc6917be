import { API } from 'typescript/unstable/sync'
import type { Snapshot } from 'typescript/unstable/sync'

/** What is wrong with code, where it stands in what was written. Lines and columns begin at 1. */
export interface Complaint {
  line: number
  column: number
  code: number
  message: string
}

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
    skipLibCheck: true,
  },
  files: ['tools.d.ts', 'main.ts'],
})
const head = 'export default async () => {\n'
const tail = '\n}\n'
const mostComplaints = 20
const longestMessage = 1_000

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

  check(tools: string, code: string): Complaint[] {
    const changed = [`${root}/main.ts`]
    this.#main = head + code + tail
    if (tools !== this.#tools) changed.push(`${root}/tools.d.ts`)
    this.#tools = tools
    const before = this.#snapshot
    const config = `${root}/tsconfig.json`
    this.#snapshot = this.#api.updateSnapshot(
      before ? { fileChanges: { changed } } : { openProjects: [config] },
    )
    before?.dispose()
    const program = this.#snapshot.getProject(config)?.program
    if (!program) throw new Error('The type checker has no project')
    const main = `${root}/main.ts`
    const broken = program.getSyntacticDiagnostics(main)
    const found = broken.length > 0 ? broken : program.getSemanticDiagnostics(main)
    return found.slice(0, mostComplaints).map(({ pos, code: number, text }) => ({
      ...this.#placeOf(pos),
      code: number,
      message: text.slice(0, longestMessage),
    }))
  }

  close(): void {
    this.#api.close()
  }

  #placeOf(position: number): { line: number; column: number } {
    const before = this.#main.slice(0, position)
    const line = before.split('\n').length - 1
    return { line: Math.max(1, line), column: position - before.lastIndexOf('\n') }
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
