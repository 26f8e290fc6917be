import { expect, test } from 'vitest'
import { environmentFor } from './environment.ts'

test('an environment holds what everybody may know and what the agent asks for, and nothing else', () => {
  const ours = {
    PATH: '/bin',
    HOME: '/home/ada',
    USER: 'ada',
    LANG: 'C.UTF-8',
    LC_ALL: 'C',
    TMPDIR: '/tmp',
    TZ: 'UTC',
    ANTHROPIC_API_KEY: 'key',
    DATABASE_URL: 'postgres://secret',
    SIGNALBOX_TOKEN: 'secret',
    NODE_OPTIONS: '--inspect',
  }
  const {
    ANTHROPIC_API_KEY,
    DATABASE_URL: _url,
    SIGNALBOX_TOKEN: _token,
    NODE_OPTIONS: _options,
    ...known
  } = ours
  expect(environmentFor(ours, [])).toEqual(known)
  expect(environmentFor(ours, ['ANTHROPIC_API_KEY', 'ABSENT'])).toEqual({ ...known, ANTHROPIC_API_KEY })
})
