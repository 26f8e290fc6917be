import type { Readable } from 'node:stream'
import { patternOfNames } from './name-pattern.ts'
import { askedOf, startRipgrep } from './ripgrep.ts'
import type { Sought } from './search.ts'
import { Smallest } from './smallest.ts'

type FirstNames = ReturnType<Smallest['first']>
type Searched = Sought & { rg: string }

/** Paths of files whose names fit: one ripgrep lists, and another chooses, whose patterns never take long. */
export const searchNames = (sought: Searched): Promise<FirstNames> =>
  firstOf(sought, [[...askedOf(sought), '--files', ...whereOf(sought)], ...choosing(sought)])

/** Paths of files in which something fits. */
export const searchFilesWith = (sought: Searched): Promise<FirstNames> =>
  firstOf(sought, [
    [...askedOf(sought), '--files-with-matches', ...expressionOf(sought, sought.pattern), ...whereOf(sought)],
  ])

export const expressionOf = ({ caseSensitive }: Sought, expression: string): string[] => [
  '--encoding=none',
  caseSensitive ? '--case-sensitive' : '--ignore-case',
  '--regexp',
  expression,
]

/** The root is where it runs: named, all paths would begin with it. */
const whereOf = ({ below }: Sought): string[] => (below === '.' ? [] : ['--', below])

function choosing(sought: Sought): string[][] {
  const { type, pattern } = sought
  if (type === 'content') return []
  if (type === 'glob' && /^(?:\*\*\/)*\*+$/.test(pattern)) return [] // everything
  const reading = ['--no-config', '--text', '--no-line-number', '--no-filename']
  return [[...reading, ...expressionOf(sought, patternOfNames(type, pattern)), '-']]
}

async function firstOf({ rg, root, limit, signal }: Searched, steps: string[][]): Promise<FirstNames> {
  const { output, ended, stop } = startRipgrep(rg, root, steps, signal)
  const found = new Smallest(limit)
  try {
    await eachLine(output, (path) => found.add(path))
    await ended
    return found.first()
  } finally {
    stop()
  }
}

/** A name with a newline in it looks like two, neither of which is there. */
async function eachLine(output: Readable, take: (line: string) => void): Promise<void> {
  let rest = ''
  for await (const text of output.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) take(line)
  }
  if (rest) take(rest)
}
