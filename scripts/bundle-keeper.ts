// Builds the keeper, keeper.mjs and the parts that it loads when they are needed, and what runs inside walls, host.mjs and
// demo-agent.mjs, and notes beside them what they were built from. The folder may be named; usually it is dist/keeper.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import type { OutputOptions } from 'rolldown'

const root = join(import.meta.dirname, '..')
const folder = process.argv[2] ?? join(root, 'dist/keeper')

const files: Record<string, string> = {}
const inputs = new Set([join(root, 'package-lock.json'), import.meta.filename])
await bundle('keeper', {})
// Nothing is loaded later inside walls: what is mounted there is one file.
await bundle('host', { codeSplitting: false })
await bundle('demo-agent', { codeSplitting: false })

async function bundle(name: string, how: OutputOptions): Promise<void> {
  const build = await rolldown({
    input: join(root, `src/main/${name}.ts`),
    platform: 'node',
    // It has to run alone: a package that is not bundled would be missing.
    external: /^node:/,
  })
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: `${name}.mjs`,
    chunkFileNames: '[name]-[hash].mjs',
    ...how,
  })
  await build.close()
  for (const part of output) {
    if (part.type !== 'chunk') throw new Error(`${part.fileName} is not code`)
    for (const id of part.moduleIds) if (!id.startsWith('\0')) inputs.add(id)
    files[part.fileName] = withoutImports(part.code)
  }
}

mkdirSync(folder, { recursive: true })
for (const [name, code] of Object.entries(files)) replace(name, code)
replace(
  'inputs.json',
  JSON.stringify({
    files: Object.fromEntries(Object.entries(files).map(([name, code]) => [name, hash(code)])),
    inputs: Object.fromEntries([...inputs].map((file) => [relative(root, file), hash(readFileSync(file))])),
  }),
)

/** An import of a part of Node evaluates all that it exports; of node:http that is a whole HTTP client, of 10 MB. */
function withoutImports(built: string): string {
  const code = built
    .replaceAll(
      /^import \{ (.+) \} from ("node:[^"]+");$/gm,
      (_, names: string, part: string) =>
        `const { ${names.replaceAll(' as ', ': ')} } = process.getBuiltinModule(${part});`,
    )
    .replaceAll(
      /^import (?:\* as )?(\w+) from ("node:[^"]+");$/gm,
      (_, name: string, part: string) => `const ${name} = process.getBuiltinModule(${part});`,
    )
    .replaceAll(/^import "node:[^"]+";$/gm, '')
  const left = /^import (?!(?:.* from )?"\.\/).*$/m.exec(code)
  if (left) throw new Error(`An import is left in the bundle, which has to run alone: ${left[0]}`)
  return code
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Others may be building or reading it at this moment. */
function replace(name: string, content: string): void {
  const next = join(folder, `${name}.${randomUUID()}`)
  writeFileSync(next, content)
  renameSync(next, join(folder, name))
}
