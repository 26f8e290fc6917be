import { always, alsoIgnored, startRipgrep } from './ripgrep.ts'
import type { Sought } from './search.ts'
import { patternOfNames } from './name-pattern.ts'
import { Smallest } from './smallest.ts'

/** Paths of files whose names fit, by ripgrep: one lists, and another chooses, whose patterns never take long. */
export async function searchNames(sought: Sought & { rg: string }): Promise<Smallest<{ path: string }>> {
  const { rg, root, below, signal } = sought
  const where = below === './' ? [] : ['--', below] // paths that begin with ./ would not fit
  const lists = [...always, '--files', ...(sought.includeIgnored ? alsoIgnored : []), ...where]
  const { output, ended, stop } = startRipgrep(rg, root, [lists, ...choosing(sought)], signal)
  const found = new Smallest<{ path: string }>(sought.limit, ({ path }) => path)
  const take = (path: string) => {
    if (path) found.add({ path })
  }
  try {
    let rest = ''
    for await (const text of output.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) take(line)
    }
    take(rest)
    await ended
    return found
  } finally {
    stop()
  }
}

function choosing({ type, pattern, caseSensitive }: Sought): string[][] {
  if (type === 'content') return []
  if (type === 'glob' && /^(?:\*\*\/)*\*+$/.test(pattern)) return [] // everything
  const expression = patternOfNames(type, pattern)
  const reading = ['--text', '--encoding=none', '--no-line-number', '--no-filename']
  return [[...always, ...reading, caseSensitive ? '-s' : '-i', '-e', expression, '-']]
}
