import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProgramSchema } from '#contract/discovery.ts'
import { readStart, readText } from '../read-bounded.ts'
import { fromArgc } from './argc.ts'
import { fromBash } from './bash.ts'
import { fromZsh, zshNames } from './zsh.ts'

/** Where completions lie on a machine; each folder may be missing. */
export interface CompletionPlaces {
  bash: readonly string[]
  zsh: readonly string[]
  argc: readonly string[]
}

export const usualPlaces: CompletionPlaces = {
  bash: [
    '/usr/share/bash-completion/completions',
    '/usr/local/share/bash-completion/completions',
    '/etc/bash_completion.d',
  ],
  zsh: [
    '/usr/share/zsh/site-functions',
    '/usr/local/share/zsh/site-functions',
    '/usr/share/zsh/vendor-completions',
    '/usr/share/zsh/functions/Completion/Unix',
  ],
  argc: ['/usr/share/argc-completions/completions', '/usr/local/share/argc-completions/completions'],
}

/** A completion that is larger was not written by anybody. */
const largest = 1 << 20

export interface Completions {
  /** These say what options mean, and which take a value. */
  telling: ProgramSchema | undefined
  /** Words only. */
  listing: ProgramSchema | undefined
  troubles: string[]
}

/** Reads what completions say of a program. They are text to us: none of them is run. Never rejects. */
export async function fromCompletions(
  name: string,
  file: string,
  places: CompletionPlaces,
): Promise<Completions> {
  const found: Completions = { telling: undefined, listing: undefined, troubles: [] }
  if (!/^[\w.+@[-]+$/.test(name) || name.startsWith('.')) return found
  const read = async (path: string) => {
    const size = await stat(path).then(
      ({ size }) => size,
      () => undefined,
    )
    if (size === undefined) return undefined
    if (size > largest)
      found.troubles.push(
        `The completion ${path} is too large to be read (${Math.round(size / 1_048_576)} MB).`,
      )
    return size > largest ? undefined : readText(path, largest)
  }
  const start = await readStart(file, 2)
  const script = start?.toString('latin1') === '#!' ? await readText(file, largest) : undefined
  found.telling = script && script.includes('argc') ? fromArgc(script) : undefined
  for (const folder of found.telling ? [] : places.argc)
    found.telling ??= parsed(await read(join(folder, `${name}.sh`)), fromArgc)
  for (const folder of found.telling ? [] : places.zsh) {
    const text = await read(join(folder, `_${name}`))
    if (text && zshNames(text).includes(name)) found.telling ??= parsed(text, (one) => fromZsh(one, name))
  }
  for (const folder of places.bash)
    for (const named of [name, `_${name}`, `${name}.bash`])
      found.listing ??= parsed(await read(join(folder, named)), (text) => fromBash(text, name))
  return found
}

const parsed = (
  text: string | undefined,
  parse: (text: string) => ProgramSchema | undefined,
): ProgramSchema | undefined => (text === undefined ? undefined : parse(text))
