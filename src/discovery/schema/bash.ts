import type { CommandOption, ProgramSchema } from '#contract/discovery.ts'
import { newCommand, newOption, newSchema, newValue } from './command.ts'

// Completions for bash are programs that say little: lists of words. Which of them are commands is told by what a list is called.

// A word is taken whole or not at all: were it tried in pieces, one list with a variable in it would be tried for ever.
const word = String.raw`[\w.-]+(?![\w.-])`
const quoted = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*')`

/** Undefined when nothing could be read. */
export function fromBash(text: string, name: string): ProgramSchema | undefined {
  const lists = [...listsIn(text)]
  const options = optionsIn(
    lists.flatMap(({ words }) => words),
    namesTogether(text),
  )
  const titled = lists.filter(({ title }) =>
    /^_*(\w+_)?(sub_?)?(commands?|cmds?|verbs|actions)(_\w+)?$/i.test(title),
  )
  // Where both are told apart, those below belong to one of the others.
  const upper = titled.filter(({ title }) => !/sub/i.test(title))
  const commands = (upper.length > 0 ? upper : titled.slice(0, 1))
    .flatMap(({ words }) => (words.includes('eval') || words.includes(name) ? [] : words))
    .filter((word) => /^[a-z][\w:.-]*$/.test(word))
  if (options.length + commands.length === 0) return undefined
  return newSchema('bash', [
    newCommand([], { options }),
    ...[...new Set(commands)].map((word) => newCommand([word])),
  ])
}

interface WordList {
  title: string
  words: string[]
}

/** `opts="--all --bytes"`, `compgen -W "start stop"`, `VERBS=([PLAIN]='a b')`. */
function* listsIn(text: string): Generator<WordList> {
  const assigned = new RegExp(String.raw`\b(\w+)\+?=(${quoted})`, 'g')
  for (const [, title = '', value = ''] of text.matchAll(assigned))
    yield { title, words: wordsOf(value.slice(1, -1)) }
  const arrays = new RegExp(String.raw`\b(\w+)\+?=\(((?:\s|#[^\n]*\n|\[\w+\]=|${quoted}|${word})*)\)`, 'g')
  for (const [, title = '', inner = ''] of text.matchAll(arrays))
    yield {
      title,
      words: wordsOf(inner.replaceAll(/(?<=\s)#[^\n]*\n|\[\w+\]=/g, ' ').replaceAll(/["']/g, ' ')),
    }
  const handed = new RegExp(String.raw`\bcompgen\b[^\n;|]*?-W\s+(${quoted})`, 'g')
  for (const [, value = ''] of text.matchAll(handed)) yield { title: '', words: wordsOf(value.slice(1, -1)) }
}

/** Without variables and calls, which would have to be run. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/\$\([^)]*\)|`[^`]*`|\$\{[^}]*\}|\$\w+|\\\n/g, ' ')
    .split(/\s+/)
    .filter((word) => /^-{0,2}[\w][\w:.=-]*$/.test(word))

/** What stands in one pattern of `case $prev in` is one option, and something comes after it: `-o|--output)`. */
function namesTogether(text: string): Map<string, string[]> {
  const together = new Map<string, string[]>()
  const [, cases = ''] = /case\s+"?\$\{?prev\}?"?\s+in([\s\S]*?)\n\s*esac/.exec(text) ?? []
  for (const [, pattern = '', body = ''] of cases.matchAll(
    /(?:^|;;)\s*\(?([^()\n;]*)\)([\s\S]*?)(?=;;|$)/g,
  )) {
    const names = pattern.split('|').map((name) => name.trim().replaceAll(/["']/g, ''))
    // What only ends here takes nothing: --help, --version.
    if (/^\s*return( \d)?\s*$/.test(body)) continue
    if (names.every((name) => /^-{1,2}[\w?][\w-]*$/.test(name)))
      for (const name of names) together.set(name, names)
  }
  return together
}

function optionsIn(words: readonly string[], together: Map<string, string[]>): CommandOption[] {
  const names = [...new Set(words.filter((word) => /^-{1,2}[\w?]/.test(word)))]
  return names.map((word) => {
    const isJoined = word.endsWith('=')
    const name = word.replace(/=.*$/, '')
    const others = together.get(name) ?? []
    const same = others.length <= 2 ? others : []
    const value = isJoined || others.length > 0 ? newValue('value') : null
    return newOption([name, ...same], { value, isJoined: isJoined && name.startsWith('--') })
  })
}
