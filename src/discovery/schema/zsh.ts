import type { Command, CommandOption, CommandValue, ProgramSchema } from '#contract/discovery.ts'
import { newCommand, newOption, newSchema, newValue } from './command.ts'

// Completions for zsh are programs; only the words that they hand to _arguments and _describe are read.

/** Which programs a completion is for: `#compdef git git-cvsserver=…`. */
export const zshNames = (text: string): string[] =>
  (/^#compdef\s+(.*)$/m.exec(text)?.[1] ?? '')
    .split(/\s+/)
    .filter((word) => /^[\w.+-]+$/.test(word) && !word.startsWith('-'))

/** Undefined when nothing could be read. */
export function fromZsh(text: string, name: string): ProgramSchema | undefined {
  const plain = text.replaceAll(/^\s*#.*$/gm, '').replaceAll(/\\\n\s*/g, ' ')
  const main = functionIn(plain, `_${name}`) ?? outsideFunctions(plain)
  const calls = [...plain.matchAll(/\b_arguments\b/g)].length
  const from = /\b_arguments\b/.test(main) || calls > 2 ? main : plain
  const start = from.search(/\b_arguments\b/)
  const specs = start === -1 ? [] : quotedFrom(from.slice(start), /\n\s*(?:&&|;;|case\b|\}|esac\b|ret=)/)
  const root = newCommand([])
  for (const spec of specs) {
    const option = optionIn(spec)
    if (option) root.options.push(option)
    else root.positionals.push(...positionalIn(spec))
  }
  const listing = [main, functionIn(plain, `_${name}_commands`), functionIn(plain, `_${name}_command`)]
  const commands =
    listing.map((part) => (part === undefined ? [] : listIn(part))).find((found) => found.length > 0) ?? []
  if (commands.length > 0) root.positionals = []
  return root.options.length + root.positionals.length + commands.length === 0
    ? undefined
    : newSchema('zsh', [root, ...commands])
}

/** What lies in the braces of a function that ends at the left margin. */
function functionIn(text: string, name: string): string | undefined {
  const start = text.search(
    new RegExp(String.raw`(?:^|\s)_?${name.replaceAll(/[^\w]/g, String.raw`\$&`)}\s*\(\)\s*\{`),
  )
  if (start === -1) return undefined
  const end = text.indexOf('\n}', start)
  return text.slice(start, end === -1 ? undefined : end)
}

const outsideFunctions = (text: string): string => text.replaceAll(/^[^\n]*\w+\s*\(\)\s*\{[\s\S]*?\n\}/gm, '')

/** The words of one call, as zsh joins them: `'(-a)'{-b,--bee}'[desc]'` is two. */
function quotedFrom(text: string, end: RegExp): string[] {
  const stop = text.slice(0, 60_000).search(end)
  const call = stop === -1 ? text.slice(0, 60_000) : text.slice(0, stop)
  const found: string[] = []
  for (const [word] of call.matchAll(
    /(?:'(?:[^']|'\\'')*'|"(?:[^"\\]|\\.)*"|\{[^{}\s]*\}|\\.|[^\s'"{}])+/g,
  )) {
    if (!/['"]/.test(word)) continue
    found.push(...expanded(word))
  }
  return found
}

function expanded(word: string): string[] {
  const braces = /^((?:'[^']*'|"[^"]*"|[^{'"])*)\{([^{}]*)\}(.*)$/s.exec(word)
  const bare = (text: string) =>
    text.replaceAll(/'((?:[^']|'\\'')*)'/g, '$1').replaceAll(/"((?:[^"\\]|\\.)*)"/g, '$1')
  if (!braces) return [bare(word)]
  const [, before = '', middle = '', after = ''] = braces
  // One option with several names: the braces are kept for whoever reads it.
  return [`${bare(before)}{${bare(middle)}}${bare(after)}`]
}

const optionSpec =
  /^(?:\((?<excluded>[^)]*)\))?(?<many>\*)?(?:\((?:[^)]*)\))?(?:\{(?<names>[^}]*)\}|(?<name>[-+][^[\]:\s]*?))(?<joint>[-=+]{0,2})(?:\[(?<about>(?:[^\]\\]|\\.)*)\])?(?<rest>:.*)?$/s

function optionIn(spec: string): CommandOption | undefined {
  const { names, name, many, joint = '', about = '', rest } = optionSpec.exec(spec)?.groups ?? {}
  const told = (names?.split(',') ?? (name ? [name] : [])).map((one) => one.trim())
  const plain = told
    .map((one) => one.replace(/(?<=\w)[-=+]+$/, ''))
    .filter((one) => /^-{1,2}[\w?][\w.-]*$/.test(one))
  if (plain.length === 0) return undefined
  return newOption(plain, {
    description: unescaped(about),
    value: rest === undefined ? null : valueIn(rest),
    isJoined:
      (joint.includes('=') || told.some((one) => one.endsWith('='))) &&
      plain.some((one) => one.startsWith('--')),
    isRepeatable: many !== undefined,
  })
}

/** `:message:action`; two colons are for what need not be there. */
function valueIn(rest: string): CommandValue {
  const [, colons = ':', message = '', action = ''] =
    /^(::?)\s*((?:[^:\\]|\\.)*)(?::(.*))?$/s.exec(rest) ?? []
  const [, inner] = /^\(([^()]*)\)$/.exec(action.trim()) ?? []
  const choices = inner?.split(/\s+/).filter((one) => /^[\w.+-]+$/.test(one)) ?? []
  const isPath = /_(files|directories|path_files)\b/.test(action)
  return newValue(unescaped(message) || 'value', {
    isOptional: colons === '::',
    choices,
    ...(isPath && { type: 'path' }),
  })
}

function positionalIn(spec: string): CommandValue[] {
  const [, place, rest] = /^(\d+|\*{1,2})?(::?.*)$/s.exec(spec) ?? []
  if (rest === undefined || /->|_commands\b|^::?\s*[_(*]/.test(rest)) return []
  return [
    {
      ...valueIn(rest),
      isVariadic: place?.startsWith('*') ?? false,
      ...(place?.startsWith('*') && { isOptional: true }),
    },
  ]
}

/** The first list of `name:description` that is called one of commands. Its words and comments are taken whole, or not at all. */
function listIn(text: string): Command[] {
  const array =
    /\b\w*(?:sub)?(?:commands?|cmds?|verbs)\w*=\(\s*((?:\s*(?:'(?:[^']|'\\'')*'|"[^"]*"|#[^\n]*(?:\n|$)|[\w.-]+(?![\w.-])))+)\s*\)/gi
  for (const [, inner = ''] of text.matchAll(array)) {
    const commands = [...inner.matchAll(/'((?:[^']|'\\'')*)'|"([^"]*)"|#[^\n]*|(?<=\s|^)([\w.-]+)/g)].flatMap(
      ([, single, double, bare]) => {
        const [, word, description = ''] =
          /^([\w.+-]+)(?::(.*))?$/s.exec(unescaped(single ?? double ?? bare ?? '')) ?? []
        return word === undefined || word.startsWith('-') ? [] : newCommand([word], { description })
      },
    )
    if (commands.length > 0) return commands
  }
  return []
}

const unescaped = (text: string): string => text.replaceAll("'\\''", "'").replaceAll(/\\(.)/g, '$1')
