import { expect, test } from 'vitest'
import { pathWithoutNpm } from './npm-path.ts'

const PATH =
  '/srv/box/node_modules/.bin:/srv/node_modules/.bin:/lib/@npmcli/run-script/lib/node-gyp-bin:/usr/bin:/bin'

test('what npm put into PATH is taken out again, and nothing else', () => {
  expect(pathWithoutNpm({ PATH, npm_execpath: '/lib/npm-cli.js' })).toBe('/usr/bin:/bin')
  expect(pathWithoutNpm({ PATH })).toBe(PATH)
})
