import { expect, test } from 'vitest'
import { createOf, editOf, misfitsOf, writtenOf } from './workspace-body.ts'
import type { Written } from './workspace-body.ts'

const written = (more: Partial<Written>): Written => ({ ...writtenOf(undefined, undefined), ...more })

test('what is made is what the driver takes, and nothing else', () => {
  expect(
    createOf(written({ driver: 'folder', root: ' /repo ', git: 'https://host/a.git', image: 'x' })),
  ).toEqual({
    driver: 'folder',
    root: '/repo',
    worktrees: true,
    setup: null,
    app: null,
  })
  expect(
    createOf(
      written({
        driver: 'docker',
        name: ' A ',
        git: 'https://host/a.git',
        ref: 'main',
        image: 'node:24',
        reach: 'list',
        hosts: 'a.com, *.b.com',
      }),
    ),
  ).toEqual({
    driver: 'docker',
    name: 'A',
    source: { git: 'https://host/a.git', ref: 'main' },
    image: 'node:24',
    egress: ['a.com', '*.b.com'],
    setup: null,
    app: null,
  })
  expect(createOf(written({}))).not.toHaveProperty('source')
  expect(createOf(written({ source: 'nothing', git: 'x' }))).not.toHaveProperty('source')
  expect(createOf(writtenOf(undefined, 'a.tar.zst'))).toMatchObject({ source: { archive: 'a.tar.zst' } })
  expect(editOf(written({ name: 'B', setup: 'npm ci', appCommand: 'npm start', appPort: '8000' }))).toEqual({
    name: 'B',
    egress: 'model',
    setup: 'npm ci',
    app: { command: 'npm start', port: 8000 },
  })
})

test.each<[Partial<Written>, (keyof Written)[]]>([
  [{}, []],
  [{ driver: 'folder', root: '' }, ['root']],
  [{ driver: 'folder', root: 'relative' }, ['root']],
  [{ driver: 'folder', root: '/a' }, []],
  [{ git: 'https://me:secret@host/a.git' }, ['git']],
  [{ source: 'path' }, ['path']],
  [{ source: 'archive' }, ['archive']],
  [{ reach: 'list', hosts: '' }, ['hosts']],
  [{ reach: 'list', hosts: 'not_a host!' }, ['hosts']],
  [{ reach: 'list', hosts: 'a.com' }, []],
  [{ appCommand: 'npm start' }, ['appPort']],
  [{ appCommand: 'npm start', appPort: '80' }, ['appPort']],
  [{ appCommand: 'npm start', appPort: '8000' }, []],
])('%j: %j does not fit', (more, fields) => {
  expect(Object.keys(misfitsOf(written(more), true))).toEqual(fields)
})
