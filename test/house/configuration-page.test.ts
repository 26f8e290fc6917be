import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { variables } from '#config/environment.ts'
import { configurationPage, pageFile } from '../../scripts/configuration-page.ts'

test('docs/configuration.md says what the code reads (else run scripts/configuration-page.ts)', () => {
  expect(readFileSync(pageFile, 'utf8')).toBe(configurationPage())
})

test('every row of the page says what it means', () => {
  const rows = configurationPage()
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(150)
  expect(rows.filter((row) => /\|\s*\|/.test(row))).toEqual([])
})

test('every variable stands for a key that exists', () => {
  const keys = new Set([...configurationPage().matchAll(/^\| `([\w.]+)` +\|/gm)].map(([, key]) => key))
  expect(variables.filter(({ path }) => !keys.has(path))).toEqual([])
})
