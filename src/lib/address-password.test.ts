import { expect, it } from 'vitest'
import { passwordsIn } from './address-password.ts'

it.each([
  ['postgres://me:secret@db/box', ['secret']],
  ['postgres://me:secret@/box?host=/run/x', ['secret']],
  ['postgres://me:secret@one:5432,two:5433/box', ['secret']],
  ['redis://:secret@cache', ['secret']],
  ['postgres://me:s%40cret@/box', ['s%40cret', 's@cret']],
  ['postgres://me:s@cret:1@db/box', ['s@cret:1']],
  ['postgres://me:correct horse@/box', ['correct horse']],
  ['postgres://me:100%zz@/box', ['100%zz']],
  ['postgres:///box?user=me&password=s%26cret&host=/run/x', ['s%26cret', 's&cret']],
  ['--from=postgres://a:first@x --to=postgres://b:second@y', ['first', 'second']],
  ['postgres://me@db/box', []],
  ['http://127.0.0.1:4100/board?at=me@x', []],
  ['no address', []],
])('finds the passwords in %s', (text, passwords) => {
  expect(passwordsIn(text)).toEqual(passwords)
})

it('takes time in proportion to the text', () => {
  for (const part of ['://', '://a', '://a:', ':', '@', 'a', '?password', '?password='])
    expect(passwordsIn(part.repeat(50_000))).toBeInstanceOf(Array)
})
