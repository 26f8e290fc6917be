import { expect, test } from 'vitest'
import { pathWithoutNpm } from './npm-path.ts'

const PATH =
  '/srv/box/node_modules/.bin:/srv/node_modules/.bin:/lib/@npmcli/run-script/lib/node-gyp-bin:/usr/bin:/bin'

test('what npm put into PATH is taken out again, and nothing else', () => {
  const clean = (path: string) => pathWithoutNpm({ PATH: path, npm_execpath: '/lib/npm-cli.js' }, '/srv/box')
  expect(clean(PATH)).toBe('/usr/bin:/bin')
  expect(clean('/home/ada/tools/node_modules/.bin:/bin')).toBe('/home/ada/tools/node_modules/.bin:/bin')
  expect(pathWithoutNpm({ PATH })).toBe(PATH)
})
