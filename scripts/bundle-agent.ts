// Builds the bridge (`signalbox agent`), agent.mjs and the parts that it loads when they are needed, into a folder: all that its
// image needs besides Node. Usually the folder is dist/agent.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')
const dir = process.argv[2] ?? join(root, 'dist/agent')

const build = await rolldown({
  input: join(root, 'src/main/agent.ts'),
  platform: 'node',
  // It has to run alone: a package that is not bundled would be missing.
  external: /^node:/,
})
rmSync(dir, { recursive: true, force: true })
await build.write({ format: 'esm', dir, entryFileNames: 'agent.mjs', chunkFileNames: '[name]-[hash].mjs' })
await build.close()
