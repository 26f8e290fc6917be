import { expect, it } from 'vitest'
import { fromBash } from './bash.ts'
import { fromZsh } from './zsh.ts'

const words = 'install remove update upgrade list search show clean'

it.each([
  ['bash', () => fromBash(`_tool() {\n  local commands=(${words} $more)\n}\n`, 'tool')],
  ['zsh', () => fromZsh(`#compdef tool\ncommands=(${words} $more)\n`, 'tool')],
  ['zsh, with a comment', () => fromZsh(`#compdef tool\ncommands=(a #${words} ${words}\n $more)\n`, 'tool')],
])('a list that goes on elsewhere is done with at once: %s', (_, read) => {
  const began = performance.now()
  expect(read()).toBeUndefined()
  expect(performance.now() - began).toBeLessThan(1_000)
})

it('a list of commands is read without its comments', () => {
  const text = `#compdef tool\ncommands=( # all of them\n  'add:Adds one' # first\n  remove\n)\n_describe command commands\n`
  expect(fromZsh(text, 'tool')?.commands.map(({ words }) => words.join(' '))).toEqual(['', 'add', 'remove'])
  const bash = `_tool() {\n  commands=(add # first\n    remove)\n}\n`
  expect(fromBash(bash, 'tool')?.commands.map(({ words }) => words.join(' '))).toEqual(['', 'add', 'remove'])
})
