// Builds the keeper into one file, keeper.mjs, and notes beside it what it was built from. The folder for both may be named;
// usually it is dist/keeper.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')
const folder = process.argv[2] ?? join(root, 'dist/keeper')

const build = await rolldown({
  input: join(root, 'src/main/keeper.ts'),
  platform: 'node',
  // It has to run alone: a package that is not bundled would be missing.
  external: /^node:/,
})
const { output } = await build.generate({ format: 'esm', codeSplitting: false })
await build.close()
const [{ code: built, moduleIds }, ...others] = output
if (others.length > 0)
  throw new Error(`More than one file: ${others.map(({ fileName }) => fileName).join(', ')}`)

// An import of a part of Node evaluates all that it exports; of node:http that is a whole HTTP client, of 10 MB.
const code = built.replaceAll(
  /^import \{ (.+) \} from ("node:[^"]+");$/gm,
  (_, names: string, part: string) =>
    `const { ${names.replaceAll(' as ', ': ')} } = process.getBuiltinModule(${part});`,
)
if (/^import /m.test(code)) throw new Error('An import is left in the bundle, which has to run alone')

const inputs = [
  ...moduleIds.filter((id) => !id.startsWith('\0')),
  join(root, 'package-lock.json'),
  import.meta.filename,
]
mkdirSync(folder, { recursive: true })
replace('keeper.mjs', code)
replace(
  'inputs.json',
  JSON.stringify({
    bundle: hash(code),
    inputs: Object.fromEntries(inputs.map((file) => [relative(root, file), hash(readFileSync(file))])),
  }),
)

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Others may be building or reading it at this moment. */
function replace(name: string, content: string): void {
  const next = join(folder, `${name}.${randomUUID()}`)
  writeFileSync(next, content)
  renameSync(next, join(folder, name))
}
