import { hash } from 'node:crypto'
import type { Edited } from '#contract/workspace-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { Confined, Place } from '../confined.ts'
import { Asked, place as placeSize, refuseInput } from './asked.ts'
import { unifiedDiff } from './diff.ts'
import type { FileCache } from './file-cache.ts'
import { nearestMiss } from './nearest-miss.ts'
import { changedMeanwhile, replaceContent } from './replace-content.ts'
import { inLineEndsOf, lineNumbers, occurrences, replaceAt } from './replace-text.ts'
import { readText } from './text-file.ts'

const mostTries = 3
const largestResult = 64 << 20

interface Wanted {
  find: string
  replace: string
  first: boolean
  all: boolean
  expectedHash: string | undefined
}

/** Replaces a text in a file by another. Rejects with ToolRefused. */
export async function edit(
  files: Confined,
  cache: FileCache,
  input: unknown,
): Promise<Omit<Edited, 'executionTime'>> {
  const asked = new Asked(input, ['path', 'find', 'replace', 'first', 'all', 'expectedHash'])
  const path = asked.text('path', placeSize)
  const wanted: Wanted = {
    find: asked.text('find', { min: 1 }),
    replace: asked.content('replace'),
    first: asked.flag('first', false),
    all: asked.flag('all', false),
    expectedHash: asked.hash('expectedHash'),
  }
  if (wanted.first && wanted.all) refuseInput('first', 'cannot be together with all')
  for (let tries = 0; tries < mostTries; tries += 1) {
    const edited = await files.at(path, (place) => editAt(place, cache, wanted))
    if (edited) return edited
  }
  throw changedMeanwhile(path)
}

/** Undefined when the file was changed by somebody else in this moment. */
async function editAt(place: Place, cache: FileCache, wanted: Wanted) {
  const { path } = place
  const file = await readText(place, cache)
  if (wanted.expectedHash !== undefined && wanted.expectedHash !== file.hash) throw changedMeanwhile(path)
  const { find, replace } = inLineEndsOf(file.text, wanted)
  const found = occurrences(file.text, find)
  if (found.length === 0) throw noMatch(path, file.text, wanted.find)
  if (found.length > 1 && !wanted.all && !wanted.first) throw manyMatches(path, file.text, found)
  const places = wanted.all ? found : found.slice(0, 1)
  if (file.size + places.length * Buffer.byteLength(replace) > largestResult)
    throw new ToolRefused('file_too_large', `${path} would become larger than ${largestResult} bytes`, {
      path,
    })
  const { text, changes } = replaceAt(file.text, places, { find, replace })
  const content = Buffer.from(text)
  if (text !== file.text && !(await replaceContent(place, content))) return undefined
  return {
    path,
    replacements: places.length,
    sizeBefore: file.size,
    sizeAfter: content.length,
    hash: hash('sha256', content, 'hex'),
    diff: unifiedDiff(path, file.text, text, changes),
  }
}

function manyMatches(path: string, text: string, found: readonly number[]): ToolRefused {
  const lines = lineNumbers(text, found.slice(0, 20))
  const more = found.length > lines.length ? ', …' : ''
  return new ToolRefused(
    'many_matches',
    `${path} has this text ${found.length} times, in lines ${lines.join(', ')}${more}. Say more of what is around it, or all: true`,
    { path, count: found.length, lines },
  )
}

function noMatch(path: string, text: string, find: string): ToolRefused {
  const nearest = nearestMiss(text, find)
  const hint = nearest ? `. The nearest is in line ${nearest.line}: ${nearest.text}` : ''
  const message = `${path} does not have this text${nearest?.differsInSpace ? ', but for white space it does' : ''}${hint}`
  return new ToolRefused('no_match', message, { path, count: 0, nearest: nearest ?? null })
}
