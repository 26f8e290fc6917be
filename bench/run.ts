// `npm run bench -- NAME…`: each name is a folder of benches; none means all of them. Ends with 1 when a figure is missed.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { meets, table } from './figure.ts'
import type { Bench, Figure } from './figure.ts'

const here = import.meta.dirname
const groups = readdirSync(here, { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && !['support', 'peers'].includes(entry.name),
)
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !existsSync(join(here, name)))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no bench ${unknown.join(', ')}; there are ${groups.map((group) => group.name).join(', ')}.\n`,
  )
  process.exit(1)
}

const figures: Figure[] = []
for (const group of wanted.length > 0 ? wanted : groups.map(({ name }) => name))
  for (const file of readdirSync(join(here, group))
    .filter((name) => name.endsWith('.bench.ts'))
    .toSorted()) {
    process.stderr.write(`${group}/${file} …\n`)
    const { default: bench }: { default: Bench } = await import(join(here, group, file))
    const started = performance.now()
    figures.push(...(await bench()))
    process.stderr.write(`  ${Math.round((performance.now() - started) / 1000)} s\n`)
  }
process.stdout.write(`${table(figures)}\n`)
process.exitCode = figures.every(meets) ? 0 : 1
