import { expect, it } from 'vitest'
import { padTo, shorten, textWidth } from './text-width.ts'

it.each([
  ['plain', 5],
  ['', 0],
  ['naïve', 5],
  ['e\u0301', 1],
  ['日本語', 6],
  ['한국어', 6],
  ['ｆｕｌｌ', 8],
  ['👍', 2],
  ['👨‍👩‍👧‍👦', 2],
  ['🇩🇪', 2],
  ['👍🏽', 2],
  ['❤️', 2],
  ['✓', 1],
  ['→', 1],
  ['a\u200bb', 2],
  ['مرحبا', 5],
])('%s takes %d columns', (text, width) => expect(textWidth(text)).toBe(width))

it('cuts between characters only', () => {
  expect(shorten('hello world', 20)).toBe('hello world')
  expect(shorten('hello world', 8)).toBe('hello w…')
  expect(shorten('hello world', 7)).toBe('hello…')
  expect(shorten('日本語テキスト', 6)).toBe('日本…')
  expect(shorten('👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 5)).toBe('👨‍👩‍👧‍👦👨‍👩‍👧‍👦…')
  expect(shorten('abc', 1)).toBe('…')
  expect(shorten('abc', 0)).toBe('')
  for (let width = 1; width < 12; width += 1)
    expect(textWidth(shorten('a日👍b語c🇩🇪', width))).toBeLessThanOrEqual(width)
})

it('pads by columns', () => expect(padTo('日本', 6)).toBe('日本  '))
