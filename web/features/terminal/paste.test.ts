import { expect, it } from 'vitest'
import { lookAtPaste, needsAsking, typedPaste, withoutControls } from './paste.ts'

const asks = (text: string) => needsAsking(lookAtPaste(text))

it('lets a word through, and asks about everything that presses a key', () => {
  expect(['ls -l', 'a\tb', 'grüße 🙂', ''].filter(asks)).toEqual([])
  const keys = ['ls\n', 'one\ntwo', 'one\rtwo', 'a\u0003', '\u001b[201~', 'a\u007f', 'a\u009b31m', '\u0000']
  expect(keys.filter((text) => !asks(text))).toEqual([])
})

it('counts lines as a person would', () => {
  expect(['one', 'one\r\ntwo', 'one\ntwo\n', ''].map((text) => lookAtPaste(text).lines)).toEqual([1, 2, 2, 1])
})

it('takes control characters out, and leaves lines and tabs', () => {
  expect(withoutControls('a\u001b[31m\tb\r\nc\u0003\u009b')).toBe('a[31m\tb\r\nc')
})

it('types line ends as Enter, and tells a program that wants to know that it is pasted', () => {
  expect(typedPaste('one\ntwo\r\n', false)).toBe('one\rtwo\r')
  expect(typedPaste('one\ntwo', true)).toBe('\u001b[200~one\rtwo\u001b[201~')
})

it('lets nothing that is pasted say that the paste is over', () => {
  const sly = 'a\u001b[20\u001b[201~1~rm -rf /\n\u001b[201~'
  expect(typedPaste(sly, true).slice(6, -6)).toBe('arm -rf /\r')
})
