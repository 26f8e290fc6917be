import { expect, it } from 'vitest'
import type { Style } from './operation.ts'
import { inHeader, inPath, inQuery } from './write-value.ts'

const array = ['blue', 'black', 'brown']
const object = { R: 100, G: 200, B: 150 }

const path = (style: Style, explode: boolean, value: unknown) =>
  inPath({ name: 'color', style, explode }, value)
const query = (style: Style, explode: boolean, value: unknown) =>
  inQuery({ name: 'color', style, explode }, value)
    .map((pair) => pair.join('='))
    .join('&')

it.each<[Style, boolean, string, string, string]>([
  ['simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ['label', false, '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  ['label', true, '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  ['matrix', false, ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  ['matrix', true, ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
])('writes into a path in the style %s, explode %s', (style, explode, ...expected) => {
  expect(['blue', array, object].map((value) => path(style, explode, value))).toEqual(expected)
})

it.each<[Style, boolean, string, string, string]>([
  ['form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['form', true, 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['spaceDelimited', false, 'color=blue', 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['pipeDelimited', false, 'color=blue', 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  [
    'deepObject',
    true,
    'color=blue',
    'color=blue&color=black&color=brown',
    'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
  ],
  [
    'json',
    true,
    'color=%22blue%22',
    'color=%5B%22blue%22%2C%22black%22%2C%22brown%22%5D',
    'color=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D',
  ],
])('writes into a query in the style %s, explode %s', (style, explode, ...expected) => {
  expect(['blue', array, object].map((value) => query(style, explode, value))).toEqual(expected)
})

it('writes objects inside of objects with all their keys', () => {
  expect(query('deepObject', true, { a: { b: 1, c: [2, 3] } })).toBe(
    'color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bc%5D=2&color%5Ba%5D%5Bc%5D=3',
  )
})

it('leaves nothing in a value that could be more than a value', () => {
  expect(path('simple', false, '../a/b?c#d;e')).toBe('..%2Fa%2Fb%3Fc%23d%3Be')
  expect(query('form', true, 'a&admin=1#x +')).toBe('color=a%26admin%3D1%23x%20%2B')
  expect(query('form', true, { 'a&b': 'c=d' })).toBe('a%26b=c%3Dd')
  expect(query('form', true, '\ud800')).toBe('color=%EF%BF%BD')
})

it('keeps reserved characters where they are allowed, but for those that would begin another value', () => {
  const written = inQuery({ name: 'q', style: 'form', explode: true, allowReserved: true }, 'a/b?c:d&e#f+g')
  expect(written).toEqual([['q', 'a/b?c:d%26e%23f%2Bg']])
})

it('writes headers as they are read', () => {
  const header = (explode: boolean, value: unknown) =>
    inHeader({ name: 'X', style: 'simple', explode }, value)
  expect([header(false, array), header(false, object), header(true, object), header(false, 5)]).toEqual([
    'blue,black,brown',
    'R,100,G,200,B,150',
    'R=100,G=200,B=150',
    '5',
  ])
})
