import { spawnSync } from 'node:child_process'
import { describe, expect, it, test } from 'vitest'
import { rg } from '../../../test/support/workspace-tools.ts'
import { patternOfNames } from './name-pattern.ts'

const paths = [
  'a.ts',
  'a.tsx',
  'src/a.ts',
  'src/deep/er/b.ts',
  'src/[x].ts',
  'src/{y}.ts',
  'src/a+b (1).ts',
  'src/ä.ts',
  'lib/a.js',
  '.hidden/a.ts',
]

const cases: [type: 'glob' | 'exact', pattern: string, fitting: string[]][] = [
  ['glob', '*.tsx', ['a.tsx']],
  ['glob', '*.js', ['lib/a.js']],
  ['glob', 'b.*', ['src/deep/er/b.ts']],
  ['glob', 'src/*.ts', ['src/a.ts', 'src/[x].ts', 'src/{y}.ts', 'src/a+b (1).ts', 'src/ä.ts']],
  ['glob', './src/a.ts', ['src/a.ts']],
  ['glob', '/workspace/src/a.ts', ['src/a.ts']],
  ['glob', '/a.ts', ['a.ts']],
  ['glob', '**/a.ts', ['a.ts', 'src/a.ts', '.hidden/a.ts']],
  ['glob', 'src/**/b.ts', ['src/deep/er/b.ts']],
  ['glob', 'src/**/a.ts', ['src/a.ts']],
  ['glob', 'lib/**', ['lib/a.js']],
  ['glob', '{lib,src}/a.{js,ts}', ['src/a.ts', 'lib/a.js']],
  ['glob', '?.ts', ['a.ts', 'src/a.ts', 'src/deep/er/b.ts', 'src/ä.ts', '.hidden/a.ts']],
  ['glob', '[!a].ts', ['src/deep/er/b.ts', 'src/ä.ts']],
  ['glob', '[b-d].ts', ['src/deep/er/b.ts']],
  ['glob', String.raw`\[x\].ts`, ['src/[x].ts']],
  ['glob', String.raw`src/\{y\}.ts`, ['src/{y}.ts']],
  ['glob', '*+*', ['src/a+b (1).ts']],
  ['glob', 'a', []],
  ['exact', 'a.ts', ['a.ts', 'src/a.ts', '.hidden/a.ts']],
  ['exact', 'src/a.ts', ['src/a.ts']],
  ['exact', 'src/[x].ts', ['src/[x].ts']],
  ['exact', '*', []],
]

describe.each(cases)('%s %s', (type, pattern, fitting) => {
  const source = patternOfNames(type, pattern)

  it('fits these paths for JavaScript', () => {
    expect(paths.filter((path) => new RegExp(source, 'u').test(path))).toEqual(fitting)
  })

  it.skipIf(rg === null)('and for ripgrep', () => {
    const { stdout } = spawnSync(rg!, ['--no-config', '-s', '-e', source, '-'], {
      input: `${paths.join('\n')}\n`,
      encoding: 'utf8',
    })
    expect(stdout.split('\n').slice(0, -1)).toEqual(fitting)
  })
})

test.each(['[', 'a[b', '{a', '{a,{b}'])('%s is no pattern', (pattern) => {
  expect(() => patternOfNames('glob', pattern)).toThrow('cannot be understood')
})
