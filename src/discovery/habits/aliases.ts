import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readText } from '../read-bounded.ts'
import { commandsIn } from './commands.ts'
import { programsOf } from './program-names.ts'

const largest = 1024 * 1024
const mostFiles = 200
const mostAliases = 5_000
const shellFiles = [
  '.bashrc',
  '.bash_aliases',
  '.bash_profile',
  '.profile',
  '.aliases',
  '.zshrc',
  '.zprofile',
  '.zsh_aliases',
  '.config/zsh/.zshrc',
  '.config/zsh/aliases.zsh',
]
const aliasName = /^[^\s='"$`\\/]{1,100}$/

/** What a name stands for at the prompts here: `gs` is `git`. Read as text; no line of these files is run. */
export async function readAliases(home: string): Promise<Map<string, string>> {
  const fish = join(home, '.config/fish')
  const files = [
    ...shellFiles.map((name) => join(home, name)),
    join(fish, 'config.fish'),
    ...(await fishFilesIn(join(fish, 'conf.d'))),
    ...(await fishFilesIn(join(fish, 'functions'))),
  ]
  const written = new Map<string, string>()
  for (const file of files)
    for (const [name, command] of aliasesIn((await readText(file, largest)) ?? '')) {
      if (written.size >= mostAliases) break
      written.set(name, command)
    }
  return followed(written)
}

/** `alias gs='git status'` of all shells; `alias gs 'git status'`, `abbr -a gs git status` and `function gs --wraps='git status'` of fish. */
export function* aliasesIn(text: string): Iterable<[name: string, command: string]> {
  // Line by line: a quote that is never closed, in what is no command at all, hides only its own line.
  const lines = text.split('\n').filter((line) => /\b(?:alias|abbr|function)\b/.test(line))
  for (const words of lines.flatMap((line) => commandsIn(line))) {
    const [first, ...rest] = words
    const told = rest.filter((word) => !/^-[a-zA-Z]+$|^--[a-z]+$/.test(word))
    if (first === 'alias' || first === 'abbr') {
      const joined = told.filter((word) => /^[^=\s]+=/.test(word))
      if (joined.length > 0 && first === 'alias')
        for (const word of joined) yield [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]
      else if (told.length > 1) yield [told[0]!, told.slice(1).join(' ')]
    } else if (first === 'function') {
      const wraps = rest.find((word) => word.startsWith('--wraps='))
      if (wraps && told[0]) yield [told[0], wraps.slice('--wraps='.length)]
    }
  }
}

/** The program that is reached in the end: an alias may stand for another one, but not for itself. */
function followed(written: ReadonlyMap<string, string>): Map<string, string> {
  const programOf = (command: string) => programsOf(commandsIn(command)[0] ?? []).at(-1)
  const found = new Map<string, string>()
  for (const name of written.keys()) {
    const seen = new Set([name])
    let program = programOf(written.get(name)!)
    while (program !== undefined && !seen.has(program) && written.has(program)) {
      seen.add(program)
      program = programOf(written.get(program)!)
    }
    if (program !== undefined && program !== name && aliasName.test(name)) found.set(name, program)
  }
  return found
}

async function fishFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.endsWith('.fish'))
    .slice(0, mostFiles)
    .map((name) => join(folder, name))
}
