/** What comes before a command and is a program itself; with the options of it that take a word. */
const wrappers: Readonly<Record<string, RegExp>> = {
  sudo: /^-[a-zA-Z]*[CDghpRrTtUu]$/,
  doas: /^-[Cu]$/,
  env: /^-[uCS]$/,
  nice: /^-n$/,
  ionice: /^-[cnp]$/,
  timeout: /^-[ks]$/,
  stdbuf: /^-[ioe]$/,
  xargs: /^-[IiLlnPsEd]$/,
  nohup: /^$/,
  setsid: /^$/,
  caffeinate: /^-[tw]$/,
  strace: /^-[eopsu]$/,
  time: /^-[fo]$/,
  watch: /^-n$/,
}
/** Of the shell's own: what comes after them is a command again. */
const leading = new Set([
  'if',
  'then',
  'else',
  'elif',
  'do',
  'while',
  'until',
  '!',
  '{',
  'exec',
  'command',
  'builtin',
  'noglob',
  'nocorrect',
  'and',
  'or',
  'not',
  'begin',
])
/** Of the shell's own: what comes after them is none. */
const closing = new Set([
  'for',
  'case',
  'select',
  'function',
  'fi',
  'done',
  'esac',
  '}',
  'in',
  'end',
  '[[',
  'switch',
])
const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/
const possible = /^[\p{L}\p{N}_[][\p{L}\p{N}_.+@:[\]-]{0,99}$/u

/** The programs that a command runs, by the words of each part of it: `FOO=1 sudo -u me git log | less` are three. */
export function programsOf(words: readonly string[]): string[] {
  const found: string[] = []
  let wrapper: string | undefined
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    if (assignment.test(word)) continue
    if (wrapper !== undefined) {
      if (wrappers[wrapper]!.test(word)) at += 1
      if (word.startsWith('-')) continue
      // Its own duration, and not what it is to run.
      if (wrapper === 'timeout' && /^[\d.]+[smhd]?$/.test(word)) continue
    } else if (leading.has(word)) continue
    else if (closing.has(word)) return found
    const name = nameOf(word)
    if (name === undefined) return found
    found.push(name)
    if (!Object.hasOwn(wrappers, name)) return found
    wrapper = name
  }
  return found
}

/** What is called by a path from here is no program of PATH; by one from the root, or from home, it may be. */
function nameOf(word: string): string | undefined {
  const name = /^[~/]/.test(word) ? word.slice(word.lastIndexOf('/') + 1) : word
  return possible.test(name) ? name : undefined
}
