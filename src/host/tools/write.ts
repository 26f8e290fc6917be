import { createHash, hash } from 'node:crypto'
import type { Written } from '#contract/workspace-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { Grants, notGranted } from '../confined-grants.ts'
import type { Confined, Place } from '../confined.ts'
import { Asked, place as placeSize } from './asked.ts'
import { fileAt, piecesOf, reading } from './open-file.ts'
import { changedMeanwhile, replaceContent } from './replace-content.ts'

const mostTries = 3

/** Writes a file, and the folders that it is in. Rejects with ToolRefused. */
export async function write(
  files: Confined,
  input: unknown,
  signal: AbortSignal,
): Promise<Omit<Written, 'executionTime'>> {
  const asked = new Asked(input, ['path', 'content', 'expectedHash', 'within'])
  const path = asked.text('path', placeSize)
  const content = Buffer.from(asked.content('content'))
  const expected = asked.isNull('expectedHash') ? null : asked.hash('expectedHash')
  const granted = asked.texts('within', { ...placeSize, most: 1_000 })
  const rules = { makesFolders: true, within: granted && new Grants(granted) }
  const wanted = { content, expected, isConfined: granted !== undefined, signal }
  for (let tries = 0; tries < mostTries; tries += 1) {
    const written = await files.at(path, (place) => writeAt(place, wanted), rules)
    if (written) return written
  }
  throw changedMeanwhile(path)
}

interface Wanted {
  content: Buffer
  expected: string | null | undefined
  /** To some paths of the root. */
  isConfined: boolean
  signal: AbortSignal
}

/** Undefined when the file was changed by somebody else in this moment. */
async function writeAt(place: Place, { content, expected, isConfined, signal }: Wanted) {
  const { path, there } = place
  const old = there && fileAt(place)
  if (expected === null && there)
    throw new ToolRefused('file_exists', `${path} is there already, and was to be new`, { path })
  if (typeof expected === 'string' && (!old || (await hashOf(old, signal)) !== expected))
    throw changedMeanwhile(path)
  if (isConfined && old && old.stats.nlink > 1n) throw notGranted(path, hasOtherNames)
  if (!(await replaceContent(place, content))) return undefined
  return { path, size: content.length, created: !old, hash: hash('sha256', content, 'hex') }
}

const hasOtherNames =
  'is the same file as others (hard links), which may be outside of the paths that were granted'

function hashOf(file: ReturnType<typeof fileAt>, signal: AbortSignal): Promise<string> {
  return reading(file, async ({ handle }) => {
    const sum = createHash('sha256')
    for await (const piece of piecesOf(handle, signal)) sum.update(piece)
    return sum.digest('hex')
  })
}
