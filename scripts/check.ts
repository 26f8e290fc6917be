// `npm run check`: format, lint, types, unit tests, and the ten longest files. `--static` leaves the tests out.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const node = process.execPath
const steps: [title: string, command: string, args: string[]][] = [
  ['format', 'node_modules/.bin/oxfmt', ['--check']],
  ['lint', 'node_modules/.bin/oxlint', ['--type-aware', '--deny-warnings']],
  ['types of the server', node, ['node_modules/typescript/bin/tsc', '-p', '.']],
  ['types of the page', node, ['node_modules/typescript/bin/tsc', '-p', 'web']],
  ['types of its build and tests', node, ['node_modules/typescript/bin/tsc', '-p', 'web/tsconfig.node.json']],
  ['types of the browser tests', node, ['node_modules/typescript/bin/tsc', '-p', 'test/browser']],
]
if (!process.argv.includes('--static')) steps.push(['unit tests', node, ['scripts/test.ts', 'unit']])

const failed = steps.filter(([title, command, args]) => {
  process.stdout.write(`── ${title} ──\n`)
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status !== 0
})

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean)
const lengths = files.map((file) => ({
  file,
  lines: readFileSync(join(root, file), 'utf8').split('\n').length,
}))
process.stdout.write('── the ten longest files ──\n')
for (const { file, lines } of lengths.toSorted((a, b) => b.lines - a.lines).slice(0, 10))
  process.stdout.write(`${String(lines).padStart(5)}  ${file}\n`)
const middle = lengths.map((entry) => entry.lines).toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)]
process.stdout.write(`${String(middle).padStart(5)}  is the median of ${files.length}\n`)

if (failed.length > 0) {
  process.stdout.write(`\nFailed: ${failed.map(([title]) => title).join(', ')}\n`)
  process.exitCode = 1
}
process.stdout.write(`\n${steps.length - failed.length} passed, ${failed.length} failed\n`)
