import { expect, it } from 'vitest'
import { givenArguments } from './given-arguments.ts'

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    depth: { type: 'integer' },
    ratio: { type: 'number' },
    dry: { type: 'boolean' },
    either: { type: ['integer', 'string'] },
    level: { enum: ['low', 'high'] },
    files: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'integer' } },
  },
}
const given = (...pairs: string[]) => givenArguments(schema, undefined, pairs)

it('gives each value the type that the schema asks for', () => {
  expect(given('path=12', 'depth=12', 'ratio=-1.5e3', 'dry=true', 'level=low')).toEqual({
    path: '12',
    depth: 12,
    ratio: -1500,
    dry: true,
    level: 'low',
  })
  expect(given('either=7')).toEqual({ either: 7 })
  expect(given('either=seven')).toEqual({ either: 'seven' })
})

it('leaves text alone: signs of equality, spaces, nothing at all, and what the schema does not know', () => {
  expect(given('path=a=b c', 'other=1')).toEqual({ path: 'a=b c', other: '1' })
  expect(given('path=')).toEqual({ path: '' })
  expect(given('toString=x')).toEqual({ toString: 'x' })
})

it.each([
  ['depth=many', '--arg depth: "many" is not of type integer'],
  ['depth=1.5', '--arg depth: "1.5" is not of type integer'],
  ['depth=', '--arg depth: "" is not of type integer'],
  ['ratio=0x10', '--arg ratio: "0x10" is not of type number'],
  ['dry=yes', '--arg dry: "yes" is not of type boolean'],
  ['path', '--arg "path" has no value: write --arg name=value'],
  ['=x', '--arg "=x" has no value: write --arg name=value'],
])('refuses %s', (pair, told) => {
  expect(() => given(pair)).toThrow(told)
})

it('makes a list of what is said again', () => {
  expect(given('files=a b', 'files=', 'sizes=1')).toEqual({ files: ['a b', ''], sizes: [1] })
  expect(given('path=a', 'path=b')).toEqual({ path: 'b' })
  expect(givenArguments(schema, '{"files":["x"]}', ['files=a'])).toEqual({ files: ['a'] })
  expect(() => given('sizes=1', 'sizes=x')).toThrow('--arg sizes: "x" is not of type integer')
})

it('takes all of them as JSON, and a single one over that', () => {
  expect(givenArguments(schema, '{"depth":1,"list":[1]}', ['depth=2'])).toEqual({ depth: 2, list: [1] })
  for (const wrong of ['[1]', 'null', '"a"', '1'])
    expect(() => givenArguments(schema, wrong, [])).toThrow('--args must be a JSON object')
  expect(() => givenArguments(schema, '{', [])).toThrow('--args is not JSON')
})
