import { shellWords } from './shell-words.ts'

// Which commands only look, by a list of our own: what Codex takes for reading can still delete (`find -delete`), write
// (`cat a | tee b`) or start programs (`rg --pre`). What is not on the list is asked for.

/** Programs, and the options of theirs that can do no harm. Whatever else they are given is a file, a pattern or a number. */
const programs: Record<string, RegExp> = {
  cat: /^-[AbeEnstTuv]+$/,
  head: /^-(?:\d+|[cn]\d*|[qvz]+)$/,
  tail: /^-(?:\d+|[cn]\+?\d*|[qvz]+)$/,
  wc: /^-[clLmw]+$/,
  ls: /^-[1aACdFghilLmnopqQrRsStuUvxX]+$/,
  pwd: /^-[LP]$/,
  grep: /^-(?:[aAbBcCEFhHiIlLnoqrRsvwxz]+\d*|-)$/,
}

/** Of git only these, and nothing before their names: there one can set what git starts. */
const ofGit: Record<string, RegExp> = {
  status: /^(?:-[sbu]+|--(?:short|branch|porcelain|ignored))$/,
  log: /^(?:-\d+|-[np]|--(?:oneline|stat|graph|all|name-only|name-status|decorate|no-color|no-ext-diff|))$/,
  diff: /^(?:-[pw]|--(?:stat|cached|staged|name-only|name-status|no-color|no-ext-diff|))$/,
  show: /^(?:-[p]|--(?:stat|oneline|name-only|name-status|no-color|no-ext-diff|))$/,
}

/** Whether a command line is one plain command that can do nothing but look. */
export function onlyLooks(command: string): boolean {
  // To `shellWords` a line end is a space, to a shell it is the end of a command.
  if (/[^\x20-\x7e]/.test(command)) return false
  const [program = '', ...words] = shellWords(command) ?? []
  if (program !== 'git') return areHarmless(optionsOf(programs, program), words)
  const [verb = '', ...more] = words
  return areHarmless(optionsOf(ofGit, verb), more)
}

const optionsOf = (known: Record<string, RegExp>, name: string): RegExp | undefined =>
  Object.hasOwn(known, name) ? known[name] : undefined

const areHarmless = (options: RegExp | undefined, words: readonly string[]): boolean =>
  options !== undefined && words.every((word) => !word.startsWith('-') || options.test(word))
