import { expect, it } from 'vitest'
import { visibleText } from './visible-text.ts'

it.each([
  ['echo one\n\ttwo', 'echo one\n\ttwo'],
  ['ls\r\npwd', 'ls\npwd'],
  ['rm -rf ~\rls', 'rm -rf ~⟨U+000D⟩ls'],
  ['\u001b[2K\u0000', '⟨U+001B⟩[2K⟨U+0000⟩'],
  ['a\u202eb\u2066c', 'a⟨U+202E⟩b⟨U+2066⟩c'],
  ['a\u200bb\u00adc\u3164', 'a⟨U+200B⟩b⟨U+00AD⟩c⟨U+3164⟩'],
  ['\u{e0041}', '⟨U+E0041⟩'],
  ['naïve 日本 👍', 'naïve 日本 👍'],
])('shows what is hidden in %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
})
