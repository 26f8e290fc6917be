import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const commands = commandsOf(
  'src/main/signalbox.ts',
  'src/cli/execution-commands.ts',
  'src/cli/code-commands.ts',
  'src/cli/discovery-commands.ts',
  'src/cli/tool-commands.ts',
  'src/cli/model-commands.ts',
  'src/cli/mcp/commands.ts',
)

test('the pages that a newcomer needs are there', () => {
  expect(pages).toEqual(
    expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']),
  )
})

test.each(pages)('every path and command that %s names exists', (page) => {
  expect(untruths(readFileSync(join(root, page), 'utf8'), page)).toEqual([])
})

test.each([
  ['see `src/db/nowhere.ts`', 'src/db/nowhere.ts'],
  ['[a link](docs/nowhere.md)', 'docs/nowhere.md'],
  ['run `npm run nothing`', 'npm run nothing'],
  ['run `signalbox levitate`', 'signalbox levitate'],
])('a page that says %s is found out', (text, untruth) => {
  expect(untruths(text, 'README.md')).toEqual([untruth])
})

function untruths(text: string, page: string): string[] {
  const found: string[] = []
  const code = [...text.matchAll(/`([^`\n]+)`/g), ...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(
    ([, inner]) => inner!,
  )
  for (const inner of code) {
    for (const [path] of inner.matchAll(
      /(?<![\w./~-])(?:src|web|test|bench|docs|scripts|migrations|deploy|bin|\.ci)\/[\w./-]*\w/g,
    ))
      if (!existsSync(join(root, path))) found.push(path)
    for (const [command, script] of inner.matchAll(/\bnpm run ([\w:]+)/g))
      if (!manifest.scripts[script!]) found.push(command)
    for (const [command, script] of inner.matchAll(/\bnpm (start|test)\b/g))
      if (!manifest.scripts[script!]) found.push(command)
    for (const [command, name] of inner.matchAll(/\bsignalbox ([a-z]+)\b/g))
      if (!commands.has(name!)) found.push(command)
  }
  for (const [, target] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
    const local = !/^[a-z]+:/.test(target!)
    if (local && !existsSync(join(root, page, '..', target!))) found.push(target!)
  }
  return found
}

function commandsOf(...files: string[]): Set<string> {
  const source = files.map((file) => readFileSync(join(root, file), 'utf8')).join('')
  return new Set([...source.matchAll(/\.command\(\s*'([a-z]+)/g)].map(([, name]) => name!))
}
