import { describe, expect, test } from 'vitest'
import type { Owner } from '../identify/owner.ts'
import { classOf } from './class-of.ts'
import type { Facts } from './class-of.ts'

const facts = (some: Partial<Facts>): Facts => ({
  name: 'unheard-of',
  owner: undefined,
  start: { kind: 'binary', interpreter: null, libraries: ['libc.so.6'] },
  sections: [],
  description: null,
  isService: false,
  ...some,
})
const owner = (source: Owner['source'], name: string): Owner => ({
  source,
  package: name,
  version: null,
  description: null,
})
const linked = (...libraries: string[]): Facts['start'] => ({ kind: 'binary', interpreter: null, libraries })

describe('of a program that no list names', () => {
  test.each<[string, Partial<Facts>, string]>([
    ['nothing is known', {}, 'tool'],
    ['a page for users', { sections: ['1'] }, 'tool'],
    [
      'a page for administrators is not enough',
      { sections: ['8'], description: 'set up a frobnicator' },
      'tool',
    ],
    ['a unit keeps it running', { isService: true, sections: ['8'] }, 'daemon'],
    ['a unit and a name', { name: 'frobd', isService: true, sections: ['1'] }, 'daemon'],
    ['a name and a line', { name: 'frobd', sections: ['8'], description: 'frobnication daemon' }, 'daemon'],
    ['a name alone', { name: 'frobd', sections: ['1'], description: 'frobnicate a file' }, 'tool'],
    [
      'what only has to do with a daemon',
      { name: 'frobctl', sections: ['8'], description: 'control the frob daemon' },
      'tool',
    ],
    ['linked against ncurses', { start: linked('libncursesw.so.6', 'libc.so.6') }, 'tui'],
    ['linked against slang', { start: linked('libslang.so.2') }, 'tui'],
    [
      'linked against what readline brings along',
      { start: linked('libtinfo.so.6', 'libreadline.so.8') },
      'tool',
    ],
    ['a line that says so', { description: 'a full-screen frob browser', sections: ['1'] }, 'tui'],
    ['a version in its name', { name: 'vim9.1' }, 'tui'],
  ])('%s', (_, some, expected) => {
    expect(classOf(facts(some)).class).toBe(expected)
  })

  test('more evidence makes surer', () => {
    const unit = classOf(facts({ name: 'frobd', isService: true, sections: ['8'] }))
    const all = classOf(
      facts({ name: 'frobd', isService: true, sections: ['8'], description: 'frob daemon' }),
    )
    expect(all.confidence).toBeGreaterThan(unit.confidence)
    expect(classOf(facts({})).confidence).toBeLessThan(classOf(facts({ sections: ['1'] })).confidence)
  })
})

describe('coding agents', () => {
  test.each<[string, Partial<Facts>, string]>([
    ['by name', { name: 'claude' }, 'agent'],
    ['by name and package', { name: 'codex', owner: owner('npm', '@openai/codex') }, 'agent'],
    ['goose of another house', { name: 'goose', owner: owner('go', 'github.com/pressly/goose/v3') }, 'tool'],
    ['copilot of another house', { name: 'copilot', owner: owner('dpkg', 'aws-copilot') }, 'tool'],
    ['a common word without a package', { name: 'pi' }, 'tool'],
    [
      'the same with its package',
      { name: 'pi', owner: owner('npm', '@mariozechner/pi-coding-agent') },
      'agent',
    ],
    ['no name of every object', { name: 'constructor' }, 'tool'],
  ])('%s', (_, some, expected) => {
    expect(classOf(facts(some)).class).toBe(expected)
  })
})

test('what a shell does itself is a builtin, whatever keeps the file', () => {
  expect(classOf(facts({ name: '[', sections: ['1'], owner: owner('dpkg', 'coreutils') })).class).toBe(
    'builtin',
  )
  expect(classOf(facts({ name: 'true', isService: true })).class).toBe('builtin')
})
