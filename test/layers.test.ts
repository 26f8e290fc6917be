import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { brokenDoors } from './house/doors.ts'

const root = join(import.meta.dirname, '..')

test('every import goes through a door of the house', () => {
  expect(brokenDoors(root)).toEqual([])
})

test.each([
  ['src/domain/task.ts', `import { x } from '#db/tasks.ts'`, 'domain may not import db'],
  ['src/domain/settings.ts', `import type { x } from '#config/config.ts'`, 'domain may not import config'],
  [
    'src/domain/a.ts',
    `import { x } from '#lib/home.ts'`,
    'domain may import only tree.ts, glob.ts, command-pattern.ts, in-time.ts, target.ts of lib',
  ],
  ['src/http/tasks.ts', `import type { x } from '#worker/claim.ts'`, 'http may not import worker'],
  ['src/keeper/spool.ts', `const x = await import('#db/pool.ts')`, 'keeper may not import db'],
  ['src/flows/a.ts', `export * from '../http/b.ts'`, 'flows may not import http'],
  ['src/worker/a.ts', `import { x } from '#codemode/pool.ts'`, 'worker may import only port.ts of codemode'],
  ['src/contract/task.ts', `import pg from 'pg'`, 'contract may not import the package pg'],
  ['src/host/read.ts', `import { z } from 'ignore'`, 'host may not import the package ignore'],
  ['src/chat/turn.ts', `import { x } from '#tools/registry.ts'`, 'chat may not import tools'],
  ['src/cli/ls.ts', `import { x } from '#db/tasks.ts'`, 'cli may not import db'],
  ['web/api.ts', `import { x } from '../src/domain/task.ts'`, 'web may not import domain'],
  ['src/cellar/a.ts', `export const a = 1`, 'cellar is not a room of the house'],
  ['src/lib/index.ts', `export const a = 1`, 'index.ts is a barrel'],
])('%s with %s: %s', (file, line, complaint) => {
  const house = mkdtempSync(join(tmpdir(), 'signalbox-house-'))
  try {
    mkdirSync(dirname(join(house, file)), { recursive: true })
    writeFileSync(join(house, file), `${line}\n`)
    expect(brokenDoors(house)).toEqual([`${file}: ${complaint}`])
  } finally {
    rmSync(house, { recursive: true })
  }
})
