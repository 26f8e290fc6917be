import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultInJson } from './json.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('faultInJson', () => {
  it('has nothing against what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const json = JSON.stringify(value, null, indent)
        fc.pre(!json.includes('"__proto__"'))
        expect(faultInJson(json)).toBeUndefined()
      }),
    )
  })

  it('calls broken exactly what JSON.parse refuses', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '"\\u00e9"',
      '"\\x"',
      '"',
      '1',
      '-',
      '0',
      '.5',
      'e1',
      'true',
      'nul',
      ' ',
      '\n',
      '\u00a0',
      '\ufeff',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (chosen) => {
        const json = chosen.join('')
        const fault = faultInJson(json)
        if (fault && fault.kind !== 'broken') return
        let parses = true
        try {
          JSON.parse(json)
        } catch {
          parses = false
        }
        expect(fault === undefined).toBe(parses)
      }),
      { numRuns: 5000 },
    )
  })

  it.each([
    ['', 1, 1, 'expected a value, but the text ends here'],
    ['{"a": }', 1, 7, 'expected a value'],
    ['{\n  "a": 1,\n}', 3, 1, 'expected a key in double quotes'],
    ['{"a" 1}', 1, 6, 'expected ":"'],
    ['[1 2]', 1, 4, 'expected "," or "]"'],
    ['{"a":1', 1, 7, 'expected "," or "}", but the text ends here'],
    ['1 2', 1, 3, 'expected nothing more'],
    ["{'a':1}", 1, 2, 'expected a key in double quotes'],
    ['"\n"', 1, 1, 'expected a value'],
    ['[01]', 1, 3, 'expected "," or "]"'],
  ])('says where %j breaks', (json, line, column, reason) => {
    expect(faultInJson(json)).toMatchObject({ kind: 'broken', line, column, reason })
  })

  it('finds a key said twice, also when one of them is written in escapes', () => {
    expect(faultInJson('{"a":1,"b":{"c":1},"a":2}')).toMatchObject({
      kind: 'duplicate_key',
      path: 'a',
      column: 20,
    })
    expect(faultInJson(String.raw`{"list":[{}, {"a":1,"\u0061":2}]}`)).toMatchObject({
      kind: 'duplicate_key',
      path: 'list.1.a',
    })
    expect(faultInJson('[{"a":1},{"a":1}]')).toBeUndefined()
    expect(faultInJson('{"a":{"a":1}}')).toBeUndefined()
  })

  it('refuses a key that would reach for the prototype', () => {
    expect(faultInJson('{"x":{"__proto__":{"admin":true}}}')).toMatchObject({
      kind: 'forbidden_key',
      path: 'x.__proto__',
    })
    expect(faultInJson(String.raw`{"\u005f_proto__":1}`)).toMatchObject({ kind: 'forbidden_key' })
    expect(faultInJson('{"constructor":1,"x":"__proto__"}')).toBeUndefined()
  })

  it('allows 64 levels and no more, however deep the text goes', () => {
    expect(faultInJson(nested(64))).toBeUndefined()
    expect(faultInJson(nested(65))).toMatchObject({ kind: 'too_deep', column: 65 })
    expect(faultInJson(nested(2_000_000))).toMatchObject({
      kind: 'too_deep',
      path: Array(64).fill(0).join('.'),
    })
    expect(faultInJson('{"a":'.repeat(100_000))).toMatchObject({ kind: 'too_deep' })
  })

  it('reads a string of ten megabytes', () => {
    // Quotes and backslashes at every other place: the slowest string there is.
    const long = 'é"\\'.repeat(3_000_000)
    expect(faultInJson(JSON.stringify({ title: long }))).toBeUndefined()
    expect(faultInJson(JSON.stringify({ title: long }).slice(0, -2))).toMatchObject({ kind: 'broken' })
  })
})
