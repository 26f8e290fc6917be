import type { CommandOption, CommandValue } from '#contract/discovery.ts'
import { newOption, newValue } from './command.ts'
import type { HelpLine } from './help-text.ts'

const optionName = /^-{1,2}(\[no-?\])?[A-Za-z0-9?#@][\w.:+-]*/

/** Every option of a help text: GNU, cobra, clap, argparse, click, commander, go's flag, git. */
export function optionsIn(lines: readonly HelpLine[]): CommandOption[] {
  const found: CommandOption[] = []
  const negated: CommandOption[] = []
  for (const [at, { text, indent }] of lines.entries()) {
    const spec = specIn(text)
    if (!spec) continue
    const description = [spec.rest, ...continued(lines, at, indent, spec.rest !== '')].join(' ').trim()
    const option = optionFrom(spec, description)
    found.push(option)
    if (!spec.isNegatable) continue
    const names = option.names
      .filter((name) => name.startsWith('--'))
      .map((name) => name.replace('--', '--no-'))
    if (names.length > 0) negated.push(newOption(names, { description: `Not: ${option.description}` }))
  }
  return [...found, ...negated]
}

interface Spec {
  names: string[]
  /** What stands behind a name: `=FILE`, ` <file>`, `[=WHEN]`. */
  value: string
  rest: string
  isNegatable: boolean
}

/** The names of a line that begins with an option, what they take, and what is left of the line. */
export function specIn(line: string): Spec | undefined {
  let text = line
  const names: string[] = []
  let value = ''
  let isNegatable = false
  for (;;) {
    const [name, no] = optionName.exec(text) ?? []
    if (name === undefined) break
    if (no !== undefined) isNegatable = true
    names.push(name.replace(/\[no-?\]/, '').replace(/[.:]+$/, ''))
    text = text.slice(name.length)
    const taken = valueAt(text)
    if (taken !== '') value = taken.trim()
    text = text.slice(taken.length)
    // Without a comma only a letter and its long name are the same option: `-s  --silent`.
    const isPair = /^-\w$/.test(names.at(-1)!) && /^\s{1,4}--\w/.test(text)
    const [between] = (isPair ? /^\s+/ : /^(\s*[,|/]\s*|\s+or\s+)(?=-{1,2}[A-Za-z0-9?#@[])/).exec(text) ?? []
    if (between === undefined) break
    text = text.slice(between.length)
  }
  const isOption = names.length > 0 && (text === '' || /^[\s,:;.)]/.test(text))
  return isOption ? { names, value, rest: text.replace(/^[\s,:;]+/, ''), isNegatable } : undefined
}

const placeholder = String.raw`(?:<[^>]*>|\[[^\]]*\]|\{[^}]*\}|"[^"]*"|'[^']*'|[A-Z][A-Z0-9_|/.:-]*(?=$|[\s,[.=]))(?:\.\.\.|…)?`
const valueForms = [
  new RegExp(String.raw`^\[=?(?:${placeholder}|[\w<>|,.:-]+)\]`),
  new RegExp(String.raw`^=(?:${placeholder}|[^\s,]+)(?:\[[^\]]*\])*`),
  new RegExp(String.raw`^ ${placeholder}(?: ${placeholder})*`),
  // One word and then a gap: `--output string   Where to`.
  /^ [A-Za-z][\w./:|-]*(?=\s{2,}|$)/,
]

function valueAt(text: string): string {
  for (const form of valueForms) {
    const [found] = form.exec(text) ?? []
    if (found !== undefined) return found
  }
  return ''
}

/** The lines below that belong to it: indented deeper, no option, and no gap in between unless nothing was said yet. */
function continued(lines: readonly HelpLine[], at: number, indent: number, isBegun: boolean): string[] {
  const found: string[] = []
  for (const line of lines.slice(at + 1, at + 12)) {
    if (line.text === '' || line.indent <= indent || specIn(line.text)) break
    found.push(line.text)
    if (!isBegun && found.length > 3) break
  }
  return found
}

function optionFrom({ names, value, isNegatable }: Spec, description: string): CommandOption {
  const isJoined = /^\[?=/.test(value)
  const isRepeatable =
    /\.\.\.|…/.test(value) ||
    /^(strings|stringArray|stringSlice|stringToString|list|uints|ints)$/.test(value) ||
    /\b(repeatable|can be (repeated|used|given|specified) (multiple|several|more)|multiple times|more than once)\b/i.test(
      description,
    )
  return newOption(names, {
    description,
    value: value === '' || isNegated(value) ? null : valueFrom(value, description),
    isJoined: isJoined && names.some((name) => name.startsWith('--')),
    isRepeatable,
    isRequired: /[([]required[)\]]/i.test(description) && !isNegatable,
  })
}

const isNegated = (value: string): boolean => /^\[?(no-?|flags?|bool(ean)?)\]?$/i.test(value)

function valueFrom(told: string, description: string): CommandValue {
  const isOptional = told.startsWith('[')
  const plain = told.replaceAll(/[[\]<>{}()"'=]|\.\.\.|…/g, ' ').trim()
  const listed = /^[^|,\s]+([|,]\s*[^|,\s]+)+$/.test(plain) ? plain.split(/[|,]\s*/) : []
  const choices =
    listed.length > 0 && areWords(listed) && !/[A-Z]{2}/.test(plain) ? listed : choicesIn(description)
  return newValue(listed.length > 0 ? 'value' : (plain.split(/\s/)[0] ?? 'value'), { isOptional, choices })
}

const choiceForms = [
  /\[possible values:\s*([^\]]+)\]/i,
  /[([]choices:\s*([^)\]]+)[)\]]/i,
  /[([]one of:?\s*([^)\]]+)[)\]]/i,
]

/** Where it says that these are all: clap, commander, yargs. */
export function choicesIn(description: string): string[] {
  for (const form of choiceForms) {
    const [, listed] = form.exec(description) ?? []
    const choices = listed?.split(/,\s*/).map((one) => one.replaceAll(/^["'`]|["'`]$/g, '').trim())
    if (choices && areWords(choices)) return choices
  }
  return []
}

const areWords = (words: readonly string[]): boolean =>
  words.length > 1 && words.every((word) => /^[\w.+-]+$/.test(word))
